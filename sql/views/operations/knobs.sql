-- One knob of a dispatch: a value of the configuration that the compiler chose for it, from the folders that
-- `--configurations` names. A dispatch without knobs is one row. docs/tuning.md says which knobs there are.
--
-- @column dispatch: Name of its function, the `key` of `dispatches` and `functions`.
-- @column target: Back end of the compiler, such as `llvm-cpu`.
-- @column operation: Root operation, with which the others are fused; NULL if there is none.
-- @column shapes: Shapes of its operands; `?` stands for dynamic dimensions.
-- @column types: Element types of its operands; one if all are the same.
-- @column pipeline: Pipeline of the compiler that the function goes through.
-- @column knob: Name of the knob, such as `distribution`; NULL if the dispatch has none.
-- @column value: Its value as the compiler writes it.
SELECT dispatch, target, operation, shapes, types, pipeline, knob, value
FROM known_knobs()
