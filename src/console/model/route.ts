/** Addresses of views: `#/jobs/20261125164012345678?outcome=failed`. */

/** Where somebody is. */
export interface ViewAddress {
  /** `now`, `minions`, `jobs` … */
  readonly view: string;
  /** The one thing that is looked at, such as a job; undefined for the list of all. */
  readonly id: string | undefined;
  readonly query: ReadonlyMap<string, string>;
}

/** Reads the part of an address behind `#`. What cannot be read is the first view. */
export function readRoute(hash: string): ViewAddress {
  const [path = '', fields = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...more] = path.split('/');
  const id = decoded(more.join('/'));
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(fields)) query.set(name, value);
  return { view: view === '' ? 'now' : view, id: id === '' ? undefined : id, query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The address of a view, to be linked to. Whatever the id holds stays within it. */
export function linkTo(
  view: string,
  id?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') fields.set(name, value);
  const path = id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
  const text = fields.toString();
  return text === '' ? path : `${path}?${text}`;
}
