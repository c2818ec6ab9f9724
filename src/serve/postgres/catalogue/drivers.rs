//! Questions of drivers that cannot be planned, and what answers them.

use pgwire::api::Type;

/// asyncpg asks for the types that it does not know, and for those that they are made of, by a recursive query. Here only arrays are
/// made of another type.
const OF_ASYNCPG: &str = "typeinfo_tree";
const TYPES: &str = "SELECT t.oid, n.nspname AS ns, t.typname AS name, t.typtype AS kind, NULL::INT AS basetype, \
    t.typelem AS elemtype, CASE WHEN t.typelem <> 0 THEN t.typdelim END AS elemdelim, NULL::INT AS range_subtype, \
    no_oids() AS attrtypoids, NULL::TEXT[] AS attrnames, 0 AS depth, NULL::TEXT AS basetype_name, \
    CASE WHEN t.typelem <> 0 THEN format_type(t.typelem, NULL::INT) ELSE '-' END AS elemtype_name, \
    NULL::TEXT AS range_subtype_name FROM pg_catalog.pg_type t \
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = ANY($1::oid[])";

/// Returns the types of the parameters of a question of a driver, which it does not say.
pub fn parameters(text: &str) -> &'static [Option<Type>] {
    const OIDS: &[Option<Type>] = &[Some(Type::OID_ARRAY)];
    if text.contains(OF_ASYNCPG) { OIDS } else { &[] }
}

/// Returns the statement that answers a question of a driver; the question if it can be planned itself.
pub(crate) fn answering(text: &str) -> &str {
    if text.contains(OF_ASYNCPG) { TYPES } else { text }
}
