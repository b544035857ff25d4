/** The description of the function that stands in a box. */
import type { ListedKind } from '../api/server.ts';
import { after } from '../model/clock.ts';
import type { FunctionDetail } from '../model/contract.ts';
import { isFunctionName } from '../model/function-detail.ts';
import { useApp } from './app.ts';
import { useLoaded, useRested } from './loading.ts';

const REST_MS = 200;

/** The description of a function, once its name has rested. */
export function useFunction(kind: ListedKind, fun: string): FunctionDetail | undefined {
  const app = useApp();
  const rested = useRested(fun, REST_MS, after);
  const { data } = useLoaded(
    isFunctionName(rested) ? () => app.server.describeFunction(kind, rested) : undefined,
    [kind, rested],
  );
  return data?.name === fun ? data : undefined;
}
