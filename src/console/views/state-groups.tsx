/** The results of a state run over all minions, grouped by state: what failed, and where. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { RESULT_ORDER, sortedGroups, type StateGroup, type StateResult } from '../model/state-run.ts';
import { linkTo } from '../model/route.ts';
import { Result } from '../parts/outcome.tsx';
import { StateBody } from './state-results.tsx';

const GROUPS_SHOWN = 200;
const ROWS_SHOWN = 50;

/** All groups. */
export function StateGroups({
  groups,
  errors,
}: {
  groups: ReadonlyMap<string, StateGroup>;
  errors: ReadonlyMap<string, readonly string[]>;
}): JSX.Element {
  const [only, setOnly] = useState<StateResult | undefined>(undefined);
  const sorted = sortedGroups(groups).filter(({ counts }) => only === undefined || counts[only] > 0);
  const totals = RESULT_ORDER.map((result) => ({
    result,
    count: [...groups.values()].filter(({ counts }) => counts[result] > 0).length,
  }));
  return (
    <div class="state-groups">
      <div class="switch" role="group" aria-label="Result">
        <button type="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
          All {groups.size}
        </button>
        {totals
          .filter(({ count }) => count > 0)
          .map(({ result, count }) => (
            <button type="button" key={result} aria-pressed={only === result} onClick={() => setOnly(result)}>
              {count} {result}
            </button>
          ))}
      </div>
      {[...errors].slice(0, 20).map(([minion, texts]) => (
        <div class="problem" key={minion}>
          <p>
            <a href={linkTo('minions', minion)}>{minion}</a> could not compile its states:
          </p>
          <pre tabIndex={0}>{texts.join('\n').slice(0, 4000)}</pre>
        </div>
      ))}
      <ul class="state-list">
        {sorted.slice(0, GROUPS_SHOWN).map((group, at) => (
          <Group key={group.key} group={group} only={only} isFirst={at === 0} />
        ))}
      </ul>
      {sorted.length > GROUPS_SHOWN ? (
        <p class="faint">{sorted.length - GROUPS_SHOWN} more states; choose a result above to see fewer.</p>
      ) : null}
    </div>
  );
}

function Group({
  group,
  only,
  isFirst,
}: {
  group: StateGroup;
  only: StateResult | undefined;
  isFirst: boolean;
}): JSX.Element {
  const worst = RESULT_ORDER.find((result) => group.counts[result] > 0) ?? 'ok';
  const [isOpen, setOpen] = useState(isFirst && worst !== 'ok');
  return (
    <li class={`state-item ${worst === 'would change' ? 'would' : worst}`}>
      <button type="button" class="state-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="strong break">{group.id}</span>
        <span class="mono faint">{group.fun}</span>
        <span class="faint">{group.sls}</span>
        <span class="spacer" />
        {RESULT_ORDER.map((result) =>
          group.counts[result] === 0 ? null : (
            <Result key={result} result={result} count={group.counts[result]} />
          ),
        )}
      </button>
      {isOpen ? <GroupRows group={group} only={only} /> : null}
    </li>
  );
}

/** Changes that are the same but for the number of a process are the same. */
function changesKey(changes: unknown): string {
  const text = JSON.stringify(changes, (name, value: unknown) => (name === 'pid' ? undefined : value)) ?? '';
  return text.slice(0, 4000);
}

/** Minions of a state: those that came to the same are told of once. */
function GroupRows({ group, only }: { group: StateGroup; only: StateResult | undefined }): JSX.Element {
  const same = new Map<
    string,
    { minions: string[]; row: typeof group.rows extends Map<string, infer R> ? R : never }
  >();
  for (const [minion, row] of group.rows) {
    if (only !== undefined && row.result !== only) continue;
    const key = `${row.result}\n${row.comment}\n${changesKey(row.changes)}`;
    const known = same.get(key);
    if (known === undefined) same.set(key, { minions: [minion], row });
    else known.minions.push(minion);
  }
  const rank = (result: StateResult): number => RESULT_ORDER.indexOf(result);
  const sorted = [...same.values()].sort(
    (a, b) => rank(a.row.result) - rank(b.row.result) || b.minions.length - a.minions.length,
  );
  return (
    <ul class="group-rows">
      {sorted.slice(0, ROWS_SHOWN).map(({ minions, row }) => (
        <li key={minions[0]}>
          <div class="row">
            <Result result={row.result} count={minions.length} />
            <span class="break">
              {minions.slice(0, 30).map((minion, at) => (
                <span key={minion}>
                  {at === 0 ? '' : ', '}
                  <a href={linkTo('minions', minion)}>{minion}</a>
                </span>
              ))}
              {minions.length > 30 ? (
                <span class="faint"> and {(minions.length - 30).toLocaleString('en')} more</span>
              ) : null}
            </span>
          </div>
          <StateBody row={row} />
        </li>
      ))}
      {sorted.length > ROWS_SHOWN ? (
        <li class="faint">{sorted.length - ROWS_SHOWN} more kinds of results</li>
      ) : null}
    </ul>
  );
}
