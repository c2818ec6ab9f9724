//! `information_schema` as PostgreSQL has it: with the types that clients see, over `pg_catalog`.

use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, MemorySchemaProvider};
use datafusion::execution::context::SessionContext;
use engine::EngineError;

/// The relations that have rows.
const VIEWS: &[(&str, &str)] = &[
    (
        "schemata",
        "SELECT current_database() AS catalog_name, n.nspname AS schema_name, 'ireescope' AS schema_owner, \
         NULL::TEXT AS default_character_set_catalog, NULL::TEXT AS default_character_set_schema, \
         NULL::TEXT AS default_character_set_name, NULL::TEXT AS sql_path FROM pg_catalog.pg_namespace n",
    ),
    (
        "tables",
        "SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, \
         CASE WHEN c.relkind = 'v' THEN 'VIEW' ELSE 'BASE TABLE' END AS table_type, 'NO' AS is_insertable_into, \
         'NO' AS is_typed, NULL::TEXT AS commit_action FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v')",
    ),
    (
        "views",
        "SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, \
         pg_get_viewdef(c.oid) AS view_definition, 'NONE' AS check_option, 'NO' AS is_updatable, \
         'NO' AS is_insertable_into FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v'",
    ),
    (
        "columns",
        "SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, \
         a.attname AS column_name, a.attnum AS ordinal_position, NULL::TEXT AS column_default, \
         CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS is_nullable, \
         CASE WHEN starts_with(t.typname, '_') THEN 'ARRAY' ELSE format_type(a.atttypid, NULL::INT) END AS data_type, \
         NULL::INT AS character_maximum_length, NULL::INT AS character_octet_length, \
         CASE t.typname WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64 WHEN 'float4' THEN 24 \
         WHEN 'float8' THEN 53 WHEN 'numeric' THEN (a.atttypmod - 4) >> 16 END AS numeric_precision, \
         CASE WHEN t.typname IN ('int2', 'int4', 'int8', 'float4', 'float8') THEN 2 WHEN t.typname = 'numeric' THEN 10 END \
         AS numeric_precision_radix, CASE WHEN t.typname IN ('int2', 'int4', 'int8') THEN 0 \
         WHEN t.typname = 'numeric' THEN (a.atttypmod - 4) & 65535 END AS numeric_scale, \
         NULL::INT AS datetime_precision, current_database() AS udt_catalog, 'pg_catalog' AS udt_schema, \
         t.typname AS udt_name, NULL::TEXT AS domain_name, NULL::TEXT AS collation_name, 'NO' AS is_identity, \
         'NEVER' AS is_generated, NULL::TEXT AS generation_expression, 'NO' AS is_updatable \
         FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
         WHERE a.attnum > 0 AND c.relkind IN ('r', 'v')",
    ),
];
/// The relations that have none, with their columns: what they list does not exist here.
const EMPTY: &[(&str, &str)] = &[
    (
        "character_sets",
        "character_set_catalog character_set_schema character_set_name character_repertoire form_of_use \
         default_collate_catalog default_collate_schema default_collate_name",
    ),
    ("check_constraints", "constraint_catalog constraint_schema constraint_name check_clause"),
    (
        "constraint_column_usage",
        "table_catalog table_schema table_name column_name constraint_catalog constraint_schema constraint_name",
    ),
    (
        "key_column_usage",
        "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name \
         ordinal_position position_in_unique_constraint",
    ),
    (
        "parameters",
        "specific_catalog specific_schema specific_name ordinal_position parameter_mode parameter_name data_type udt_name",
    ),
    (
        "referential_constraints",
        "constraint_catalog constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema \
         unique_constraint_name match_option update_rule delete_rule",
    ),
    (
        "routines",
        "specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name routine_type \
         data_type routine_body routine_definition external_language",
    ),
    ("sequences", "sequence_catalog sequence_schema sequence_name data_type start_value increment"),
    (
        "table_constraints",
        "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name constraint_type \
         is_deferrable initially_deferred enforced nulls_distinct",
    ),
    (
        "table_privileges",
        "grantor grantee table_catalog table_schema table_name privilege_type is_grantable",
    ),
    (
        "triggers",
        "trigger_catalog trigger_schema trigger_name event_manipulation event_object_catalog event_object_schema \
         event_object_table action_statement action_timing",
    ),
];

/// Adds `information_schema` to a catalogue that has `pg_catalog`.
pub async fn add(
    context: &SessionContext,
    catalog: &dyn CatalogProvider,
) -> Result<(), EngineError> {
    catalog.register_schema("information_schema", Arc::new(MemorySchemaProvider::new()))?;
    for (name, query) in VIEWS {
        create(context, name, query).await?;
    }
    for (name, columns) in EMPTY {
        let columns = columns.split_whitespace().map(|column| format!("NULL::TEXT AS {column}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        create(context, name, &format!("SELECT {columns} WHERE false")).await?;
    }
    Ok(())
}

async fn create(context: &SessionContext, name: &str, query: &str) -> Result<(), EngineError> {
    context.sql(&format!("CREATE VIEW information_schema.{name} AS {query}")).await?;
    Ok(())
}
