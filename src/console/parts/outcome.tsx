/** What became of minions: one as a word with a sign, many as a bar. Neither speaks by colour alone. */
import type { JSX } from 'preact';
import type { Counts } from '../model/contract.ts';
import {
  countOf,
  describeCounts,
  KIND_NAMES,
  KIND_ORDER,
  kindOf,
  outcomeWords,
  type Became,
  type OutcomeGroup,
} from '../model/outcomes.ts';
import type { RowResult } from '../model/state-run.ts';
import { Icon, type IconName } from './icon.tsx';

const ICONS: Readonly<Record<OutcomeGroup, IconName>> = {
  ok: 'check',
  failed: 'cross',
  running: 'wait',
  silent: 'away',
};

/** One outcome. */
export function Outcome({ became }: { became: Became }): JSX.Element {
  const kind = kindOf(became);
  return (
    <span class={`outcome ${kind}`}>
      <Icon name={ICONS[kind]} />
      {outcomeWords(became)}
    </span>
  );
}

/** The outcomes of a job as a bar. */
export function OutcomeBar({ counts }: { counts: Counts }): JSX.Element {
  return (
    <div class="bar" role="img" aria-label={describeCounts(counts)}>
      {KIND_ORDER.map((kind) => {
        const count = countOf(counts, kind);
        return count === 0 ? null : (
          <span class={`bar-part ${kind}`} key={kind} style={{ flexGrow: count }} />
        );
      })}
    </div>
  );
}

/** The outcomes of a job as figures; those of which there are none are left out. */
export function OutcomeCounts({ counts }: { counts: Counts }): JSX.Element {
  return (
    <span class="counts">
      {KIND_ORDER.map((kind) => {
        const count = countOf(counts, kind);
        return count === 0 ? null : (
          <span class={`count ${kind}`} key={kind}>
            <Icon name={ICONS[kind]} />
            {count.toLocaleString('en')} {KIND_NAMES[kind]}
          </span>
        );
      })}
    </span>
  );
}

const RESULT_KINDS: Readonly<Record<RowResult, { kind: string; icon: IconName }>> = {
  ok: { kind: 'ok', icon: 'check' },
  changed: { kind: 'changed', icon: 'again' },
  'would change': { kind: 'would', icon: 'warn' },
  failed: { kind: 'failed', icon: 'cross' },
};

/** The result of a state, with how many there are of it. */
export function Result({ result, count }: { result: RowResult; count?: number }): JSX.Element {
  const { kind, icon } = RESULT_KINDS[result];
  return (
    <span class={`outcome ${kind}`}>
      <Icon name={icon} />
      {count === undefined ? result : `${count.toLocaleString('en')} ${result}`}
    </span>
  );
}
