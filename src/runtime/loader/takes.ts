/** The parameters of a function as a type, for the calls that the compiler checks (built-in-calls.ts). */

/**
 * What a function takes.
 * @typeParam Places names of its parameters, in the order of positions
 * @typeParam Required those without a default
 * @typeParam Named those that are only taken by name
 * @typeParam More `places` when it takes further positions (`*args`), `names` when it takes further names (`**kwargs`)
 */
export interface Takes<
  Places extends readonly string[],
  Required extends string = never,
  Named extends string = never,
  More extends 'places' | 'names' = never,
> {
  readonly places: Places;
  readonly required: Required;
  readonly named: Named;
  readonly more: More;
}
