/** What a view is given. */

/** The one thing that it shows, and the fields of the address. */
export interface ViewProps {
  readonly id: string | undefined;
  readonly query: ReadonlyMap<string, string>;
}
