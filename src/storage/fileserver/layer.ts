/** What an environment consists of: folders, one over the other, of several backends. */

/** One folder of an environment. */
export interface Layer {
  /** The backend as Salt names it: `roots`, `gitfs`, `hgfs`. */
  readonly backend: string;
  /** Absolute path on this machine. */
  readonly folder: string;
  /** Where it appears in the environment: `a/b`, or '' for the top. */
  readonly mountpoint: string;
  /** The folder with no symbolic link in its path, where somebody has looked. */
  readonly realFolder?: string;
  /** Symbolic links lead to nothing outside of the folder, because its content comes from elsewhere. */
  readonly isConfined: boolean;
  /** The folder never changes. */
  readonly isFixed: boolean;
  /** What the folder holds now, where somebody knows: its lists are good as long as this is the same. */
  readonly version?: string;
  /** True for paths below the folder that are not served. */
  readonly hides?: (path: string) => boolean;
}

/** A source of files. */
export interface FileBackend {
  readonly name: string;
  /** Its environments, in no order. */
  environments(): readonly string[];
  /**
   * The folders of an environment, in the order in which they are searched.
   * @param path only those that may hold it
   */
  layers(saltenv: string, path?: string): readonly Layer[] | Promise<readonly Layer[]>;
}

/** Folders of `file_roots`. */
export const ROOTS = 'roots';

/** A path of the environment as a path of the layer; undefined when the layer lies elsewhere. */
export function pathInLayer({ mountpoint }: Layer, path: string): string | undefined {
  if (mountpoint === '') return path;
  return path.startsWith(`${mountpoint}/`) ? path.slice(mountpoint.length + 1) : undefined;
}
