/** Values as JSON has them. */

/** A mapping of JSON. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping: neither a list nor a single value. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mapping that a value is; an empty one for all others. */
export function mappingIn(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
