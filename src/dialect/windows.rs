//! Replaces the names of windows by their definitions. DataFusion does so in SELECT only, and ignores a name within a
//! definition.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, Ident, NamedWindowDefinition, NamedWindowExpr, Select, VisitMut, WindowSpec,
    WindowType,
};

use super::refusal::{Fault, Flow};
use super::walk::expressions_mut;

/// Replaces the names of windows in a SELECT.
pub(crate) fn name_windows(select: &mut Select) -> Flow {
    let mut known: Vec<NamedWindowDefinition> = Vec::new();
    for NamedWindowDefinition(name, given) in &select.named_window {
        let spec = match given {
            NamedWindowExpr::NamedWindow(other) => found(other, &known),
            NamedWindowExpr::WindowSpec(spec) => whole(spec, &known),
        };
        match spec {
            Ok(spec) => {
                known.push(NamedWindowDefinition(name.clone(), NamedWindowExpr::WindowSpec(spec)));
            }
            Err(text) => return ControlFlow::Break(text),
        }
    }
    replace(&mut select.projection, &known)?;
    replace(&mut select.qualify, &known)?;
    replace(&mut select.having, &known)?;
    select.named_window = known;
    ControlFlow::Continue(())
}

/// Replaces the names of windows in expressions.
pub fn replace(expressions: &mut impl VisitMut, known: &[NamedWindowDefinition]) -> Flow {
    expressions_mut(expressions, |part| {
        let Expr::Function(Function { over: Some(over), .. }) = part else {
            return ControlFlow::Continue(());
        };
        let spec = match over {
            WindowType::NamedWindow(name) => found(name, known),
            WindowType::WindowSpec(spec) if spec.window_name.is_some() => whole(spec, known),
            WindowType::WindowSpec(_) => return ControlFlow::Continue(()),
        };
        match spec {
            Ok(spec) => *over = WindowType::WindowSpec(spec),
            // It may be a name of a query around this one.
            Err(_) if known.is_empty() => {}
            Err(text) => return ControlFlow::Break(text),
        }
        ControlFlow::Continue(())
    })
}

fn found(name: &Ident, known: &[NamedWindowDefinition]) -> Result<WindowSpec, Fault> {
    let is_same = |other: &Ident| match (name.quote_style, other.quote_style) {
        (None, None) => name.value.eq_ignore_ascii_case(&other.value),
        _ => name.value == other.value,
    };
    for NamedWindowDefinition(other, definition) in known {
        if let NamedWindowExpr::WindowSpec(spec) = definition
            && is_same(other)
        {
            return Ok(spec.clone());
        }
    }
    Err(format!("no window is named {name}").into())
}

/// Adds what a definition takes from the window that it names.
fn whole(spec: &WindowSpec, known: &[NamedWindowDefinition]) -> Result<WindowSpec, Fault> {
    let Some(name) = &spec.window_name else { return Ok(spec.clone()) };
    let base = found(name, known)?;
    let is_changed = !spec.partition_by.is_empty()
        || (!spec.order_by.is_empty() && !base.order_by.is_empty())
        || base.window_frame.is_some();
    if is_changed {
        let text = format!("a window cannot change {name}; write the whole window");
        return Err(text.into());
    }
    let order_by = if base.order_by.is_empty() { &spec.order_by } else { &base.order_by };
    Ok(WindowSpec {
        window_name: None,
        partition_by: base.partition_by,
        order_by: order_by.clone(),
        window_frame: spec.window_frame.clone(),
    })
}
