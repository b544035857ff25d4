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
