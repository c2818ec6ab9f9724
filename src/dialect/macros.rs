//! Macros: `CREATE MACRO f(a, b) AS a + b`, and `CREATE MACRO f(a) AS TABLE SELECT …`, as in `DuckDB`. Calls are replaced
//! by the definition, with the arguments for the parameters.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, MacroDefinition,
    Statement, TableAlias, TableFactor, VisitorMut,
};

use super::growth::Growth;
use super::refusal::Fault;
use super::walk::{expressions_mut, walk_mut};

/// Limit on the depth of macros within macros, so that one that calls itself is an error.
const DEPTH: usize = 32;

/// The macros of a session, by name.
#[derive(Debug, Default)]
pub struct Macros(HashMap<String, Macro>);

#[derive(Debug, Clone)]
struct Macro {
    parameters: Vec<Ident>,
    definition: MacroDefinition,
}

impl Macros {
    /// Keeps the macro of a CREATE MACRO. Returns whether the statement is one. `is_function` tells whether a name is taken
    /// by a function, which a macro would hide.
    pub fn define(
        &mut self,
        parsed: &Parsed,
        is_function: &dyn Fn(&str) -> bool,
    ) -> Result<bool, Fault> {
        let Parsed::Statement(statement) = parsed else { return Ok(false) };
        let Statement::CreateMacro { or_replace, name, args, definition, .. } = statement.as_ref()
        else {
            return Ok(false);
        };
        let known = name.to_string().to_lowercase();
        if !or_replace && self.0.contains_key(&known) {
            return Err(format!("the macro {known} exists; write CREATE OR REPLACE MACRO").into());
        }
        if is_function(&known) {
            return Err(format!("{known} is a function; choose another name for the macro").into());
        }
        let args = args.iter().flatten();
        if args.clone().any(|arg| arg.default_expr.is_some()) {
            return Err("defaults of macros are not supported; give all arguments".into());
        }
        let parameters = args.map(|arg| arg.name.clone()).collect();
        self.0.insert(known, Macro { parameters, definition: definition.clone() });
        Ok(true)
    }

    /// Replaces the calls in a statement.
    pub fn expand(&self, parsed: &mut Parsed) -> Result<(), Fault> {
        if self.0.is_empty() {
            return Ok(());
        }
        let statement = match parsed {
            Parsed::Statement(statement) => statement.as_mut(),
            Parsed::Explain(explain) => return self.expand(&mut explain.statement),
            _ => return Ok(()),
        };
        let mut expander = Expander { macros: self, is_changed: false, growth: Growth::default() };
        for _ in 0..DEPTH {
            expander.is_changed = false;
            if let ControlFlow::Break(fault) = walk_mut(statement, &mut expander) {
                return Err(fault);
            }
            if !expander.is_changed {
                return Ok(());
            }
        }
        Err("a macro calls itself".into())
    }

    fn call(&self, name: &str, given: &[FunctionArg]) -> Result<Option<MacroDefinition>, Fault> {
        let Some(known) = self.0.get(&name.to_lowercase()) else { return Ok(None) };
        let mut values = HashMap::new();
        for (parameter, arg) in known.parameters.iter().zip(given) {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = arg else {
                return Err(format!("the arguments of the macro {name} must be expressions").into());
            };
            values.insert(parameter.value.to_lowercase(), value.clone());
        }
        if given.len() != known.parameters.len() {
            let names: Vec<&str> = known.parameters.iter().map(|it| it.value.as_str()).collect();
            return Err(format!("the macro is {name}({})", names.join(", ")).into());
        }
        let mut definition = known.definition.clone();
        let _ = expressions_mut(&mut definition, |part| {
            if let Expr::Identifier(name) = part
                && let Some(value) = values.get(&name.value.to_lowercase())
            {
                *part = Expr::Nested(Box::new(value.clone()));
            }
            ControlFlow::<()>::Continue(())
        });
        Ok(Some(definition))
    }
}

struct Expander<'a> {
    macros: &'a Macros,
    is_changed: bool,
    growth: Growth,
}

impl Expander<'_> {
    /// Returns what a call stands for; `None` if it calls no macro.
    fn call(
        &mut self,
        name: &str,
        given: &[FunctionArg],
    ) -> Result<Option<MacroDefinition>, Fault> {
        let definition = self.macros.call(name, given)?;
        if let Some(definition) = &definition {
            self.growth.add(definition)?;
        }
        Ok(definition)
    }
}

impl VisitorMut for Expander<'_> {
    type Break = Fault;

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Fault> {
        let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = expression
        else {
            return ControlFlow::Continue(());
        };
        match self.call(&name.to_string(), &list.args) {
            Ok(Some(MacroDefinition::Expr(body))) => {
                *expression = Expr::Nested(Box::new(body));
                self.is_changed = true;
                ControlFlow::Continue(())
            }
            Ok(Some(MacroDefinition::Table(_))) => {
                ControlFlow::Break(format!("{name} is a table; write FROM {name}(…)").into())
            }
            Ok(None) => ControlFlow::Continue(()),
            Err(fault) => ControlFlow::Break(fault),
        }
    }

    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Fault> {
        let (name, args, alias) = match table {
            TableFactor::Table { name, args: Some(args), alias, .. } => {
                (name, args.args.as_slice(), alias)
            }
            TableFactor::Function { name, args, alias, .. } => (name, args.as_slice(), alias),
            _ => return ControlFlow::Continue(()),
        };
        match self.call(&name.to_string(), args) {
            Ok(Some(MacroDefinition::Table(query))) => {
                let own = name.0.last().and_then(|part| part.as_ident()).cloned();
                let alias = alias.clone().or_else(|| Some(named(own?)));
                *table =
                    TableFactor::Derived { lateral: false, subquery: query, alias, sample: None };
                self.is_changed = true;
                ControlFlow::Continue(())
            }
            Ok(Some(MacroDefinition::Expr(_))) => {
                ControlFlow::Break(format!("{name} is a value, not a table").into())
            }
            Ok(None) => ControlFlow::Continue(()),
            Err(fault) => ControlFlow::Break(fault),
        }
    }
}

fn named(name: Ident) -> TableAlias {
    TableAlias { explicit: false, name, columns: Vec::new(), at: None }
}
