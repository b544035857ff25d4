/** What the log says of a state that has run (salt/state.py `format_log`, 3006.16). */
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** An error for a failed state, else a line for those who want to know. */
export function logResult(result: Dict, log: Logger): void {
  const changes = result.get('changes');
  if (changes === undefined) return;
  const message = messageFor(result, changes);
  if (result.get('result') === false) log.error(message);
  else log.info(message);
}

function messageFor(result: Dict, changes: Value): string {
  if (!truthy(changes)) {
    const comment = result.get('comment');
    return truthy(comment)
      ? pyStr(comment ?? '')
      : `No changes made for ${pyStr(result.get('name') ?? null)}`;
  }
  if (!isDict(changes)) return pyStr(changes);
  const versions = [...changes].flatMap(([key, change]) =>
    isDict(change) && change.has('old') && change.has('new') ? [[key, change] as const] : [],
  );
  if (versions.length === changes.size) {
    const lines = versions.map(
      ([key, change]) =>
        `'${pyStr(key)}' changed from '${versionOf(change, 'old')}' to '${versionOf(change, 'new')}'\n`,
    );
    return `Made the following changes:\n${lines.join('')}`;
  }
  const diff = changes.get('diff');
  return typeof diff === 'string' ? `File changed:\n${diff}` : pyStr(changes);
}

function versionOf(change: Dict, key: 'old' | 'new'): string {
  const version = change.get(key) ?? null;
  return truthy(version) || version === false || version === null ? pyStr(version) : 'absent';
}
