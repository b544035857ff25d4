/** The results of a state run over all minions, grouped by state: what failed, and where. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { resultsIn, type StateGroup } from '../model/state-groups.ts';
import { RESULT_ORDER, type RowResult } from '../model/state-run.ts';
import { minions } from '../model/questions.ts';
import { linkTo } from '../model/route.ts';
import { Result } from '../parts/outcome.tsx';
import { StateBody } from './state-results.tsx';

const GROUPS_SHOWN = 200;
const ROWS_SHOWN = 50;

/** All groups. */
export function StateGroups({
  groups,
  minionCount,
  errors,
}: {
  groups: readonly StateGroup[];
  minionCount: number;
  errors: ReadonlyMap<string, readonly string[]>;
}): JSX.Element {
  const [only, setOnly] = useState<RowResult | undefined>(undefined);
  const sorted = groups.filter(({ counts }) => only === undefined || counts[only] > 0);
  const results = resultsIn(groups);
  const all = RESULT_ORDER.reduce((sum, result) => sum + results[result], 0);
  return (
    <div class="state-groups">
      <div class="row">
        <div class="switch" role="group" aria-label="Result">
          <button type="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
            All {all.toLocaleString('en')}
          </button>
          {RESULT_ORDER.filter((result) => results[result] > 0 || only === result).map((result) => (
            <button type="button" key={result} aria-pressed={only === result} onClick={() => setOnly(result)}>
              {results[result].toLocaleString('en')} {result}
            </button>
          ))}
        </div>
        <span class="faint">
          {all === 1 ? 'result' : 'results'} of{' '}
          {only === undefined ? '' : `${sorted.length.toLocaleString('en')} of `}
          {groups.length.toLocaleString('en')} {groups.length === 1 ? 'state' : 'states'} on{' '}
          {minions(minionCount)}
        </span>
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
  only: RowResult | undefined;
  isFirst: boolean;
}): JSX.Element {
  const worst = only ?? RESULT_ORDER.find((result) => group.counts[result] > 0) ?? 'ok';
  // what went worst is open until somebody opens or closes it, also when it comes late
  const [chosen, setOpen] = useState<boolean | undefined>(undefined);
  const isOpen = chosen ?? (isFirst && worst !== 'ok');
  return (
    <li class={`state-item ${worst === 'would change' ? 'would' : worst}`}>
      <button type="button" class="state-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="strong break">{group.id}</span>
        {group.name === '' || group.name === group.id ? null : <span class="mono break">{group.name}</span>}
        <span class="mono faint">{group.fun}</span>
        <span class="faint">{group.sls}</span>
        <span class="spacer" />
        {RESULT_ORDER.map((result) =>
          group.counts[result] === 0 || (only ?? result) !== result ? null : (
            <Result key={result} result={result} count={group.counts[result]} />
          ),
        )}
      </button>
      {isOpen ? <GroupRows group={group} only={only} /> : null}
    </li>
  );
}

/** Minions of a state: those that came to the same are told of once. */
function GroupRows({ group, only }: { group: StateGroup; only: RowResult | undefined }): JSX.Element {
  const kinds = group.kinds.filter(({ row }) => only === undefined || row.result === only);
  const told = kinds.slice(0, ROWS_SHOWN);
  const all = RESULT_ORDER.filter((result) => only === undefined || result === only).reduce(
    (sum, result) => sum + group.counts[result],
    0,
  );
  const others = all - told.reduce((sum, { count }) => sum + count, 0);
  return (
    <ul class="group-rows">
      {told.map(({ key, minions, count, row }) => (
        <li key={key}>
          <div class="row">
            <Result result={row.result} count={count} />
            <span class="break">
              {minions.map((minion, at) => (
                <span key={minion}>
                  {at === 0 ? '' : ', '}
                  <a href={linkTo('minions', minion)}>{minion}</a>
                </span>
              ))}
              {count > minions.length ? (
                <span class="faint"> and {(count - minions.length).toLocaleString('en')} more</span>
              ) : null}
            </span>
          </div>
          <StateBody row={row} />
        </li>
      ))}
      {others > 0 ? (
        <li class="faint">
          {others.toLocaleString('en')} more minions with other comments or changes; the list of minions has
          them.
        </li>
      ) : null}
    </ul>
  );
}
