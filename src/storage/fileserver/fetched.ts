/** Backends whose files are copies of what lies elsewhere, and have to be fetched. */
import { dict, type Dict } from '../../python/values/value.ts';
import type { FetchedRemote } from '../remotes/update-remotes.ts';
import type { FileBackend } from './layer.ts';

/** A source of files with remotes. */
export interface FetchedBackend extends FileBackend {
  readonly remotes: readonly FetchedRemote[];
}

/** True for backends with remotes. */
export function isFetched(backend: FileBackend): backend is FetchedBackend {
  return 'remotes' in backend;
}

/** The event that tells of changes (`fileserver_events`). @param name of the backend */
export const fetchedTag = (name: string): string => `salt/fileserver/${name}/update`;

/** Its data, in Salt's shape. */
export const fetchedEvent = (name: string, isChanged: boolean): Dict =>
  dict({ changed: isChanged, backend: name });
