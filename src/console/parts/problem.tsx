/** What went wrong, where it went wrong, with what to do. */
import type { JSX } from 'preact';
import { ApiError } from '../api/http.ts';

/** The sentence of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error of a view; what is away is told at the top of the page already. */
export function Problem({
  error,
  onRetry,
}: {
  error: Error | undefined;
  onRetry?: () => void;
}): JSX.Element | null {
  if (error === undefined) return null;
  const isTold =
    error instanceof ApiError && (error.status === 0 || error.status === 401 || error.code === 'master-down');
  if (isTold) return null;
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that a list is not what it was any more, where it is too long to be loaded again unasked. */
export function Stale({
  list,
}: {
  list: { readonly isStale: boolean; readonly reload: () => void };
}): JSX.Element | null {
  if (!list.isStale) return null;
  return (
    <p class="row faint" role="status">
      Something has changed since this list was loaded.
      <button type="button" onClick={list.reload}>
        Load it again
      </button>
    </p>
  );
}
