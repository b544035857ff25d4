/** The files that a check looks at. */

/** What a file is for. */
export type SourceKind = 'state' | 'pillar' | 'top' | 'pillar-top' | 'reactor' | 'template';

/** A folder from which SLS are named, as an entry of `file_roots` or `pillar_roots` is. */
export interface SourceRoot {
  /** Absolute. */
  readonly folder: string;
  readonly kind: 'state' | 'pillar';
}

/** One file. */
export interface Source {
  /** As findings name it. */
  readonly path: string;
  /** Its path below its root, with `/`. */
  readonly name: string;
  readonly root: SourceRoot;
  readonly kind: SourceKind;
  /** The SLS by its name: `web.server`; for `web/init.sls` it is `web`. */
  readonly sls: string;
  readonly isInit: boolean;
  readonly text: string;
}

/** The names of an SLS: by the path of its file below its root. */
export function slsName(name: string): { readonly sls: string; readonly isInit: boolean } {
  const bare = name.replace(/\.sls$/, '');
  const isInit = bare.endsWith('/init') || bare === 'init';
  return { sls: (isInit ? bare.replace(/\/?init$/, '') : bare).replaceAll('/', '.'), isInit };
}
