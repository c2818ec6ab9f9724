//! The relations of the engine as the catalogue sees them: with columns, and without rows.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{SchemaProvider, Session, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::TableType;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;

/// A schema of the engine whose tables have columns and cannot be read.
#[derive(Debug)]
pub struct Closed(pub Arc<dyn SchemaProvider>);

#[async_trait]
impl SchemaProvider for Closed {
    fn table_names(&self) -> Vec<String> {
        self.0.table_names()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        // A dataset does not have all of them.
        let table = self.0.table(name).await.ok().flatten();
        let kind = if schemas::find(name).is_some() { TableType::Base } else { TableType::View };
        Ok(table.map(|table| {
            Arc::new(ClosedTable { name: name.to_owned(), schema: table.schema(), kind }) as _
        }))
    }

    async fn table_type(&self, name: &str) -> Result<Option<TableType>> {
        let kind = if schemas::find(name).is_some() { TableType::Base } else { TableType::View };
        Ok(self.0.table_exist(name).then_some(kind))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.0.table_exist(name)
    }
}

#[derive(Debug)]
struct ClosedTable {
    name: String,
    schema: SchemaRef,
    kind: TableType,
}

#[async_trait]
impl TableProvider for ClosedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        self.kind
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let name = &self.name;
        plan_err!(
            "{name} cannot be read together with pg_catalog or functions that tell of the server; ask for them in a statement of their own"
        )
    }
}
