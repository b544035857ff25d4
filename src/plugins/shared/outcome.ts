/** The four fields of a state's result, in the order in which most of Salt's states make them. */
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import type { StateResult } from './state-function.ts';

/** A state's result. @param result null: in test mode something would be changed */
export function outcome(
  name: Value,
  result: boolean | null,
  comment: Value,
  changes: Dict = dict(),
): StateResult {
  return { name, changes, result, comment };
}

/** A state's result without changes, which is a failure. */
export function failure(name: Value, comment: Value): StateResult {
  return outcome(name, false, comment);
}

/** The same with the result in front of the changes, as `beacon`, `cron`, `kmod`, `schedule` and `sysctl` make it. */
export function outcomeResultFirst(
  name: Value,
  result: boolean | null,
  comment: Value,
  changes: Dict = dict(),
): StateResult {
  return { name, result, changes, comment };
}

/** The same with the changes last, as `apache_*`, `network` and `rabbitmq_*` make it. */
export function outcomeChangesLast(
  name: Value,
  result: boolean | null,
  comment: Value,
  changes: Dict = dict(),
): StateResult {
  return { name, result, comment, changes };
}

/** The same with the result last, as `webutil` makes it. */
export function outcomeResultLast(
  name: Value,
  result: boolean | null,
  comment: Value,
  changes: Dict = dict(),
): StateResult {
  return { name, changes, comment, result };
}

/** The same in the order of the alphabet, as `incron.present` and `raid` make it. */
export function outcomeByLetters(
  name: Value,
  result: boolean | null,
  comment: Value,
  changes: Dict = dict(),
): StateResult {
  return { changes, comment, name, result };
}
