/** How far an orchestration, or a step of it, is. */
import type { JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

const LOOKS: ReadonlyMap<string, { kind: string; icon: IconName }> = new Map([
  ['done', { kind: 'ok', icon: 'check' }],
  ['failed', { kind: 'failed', icon: 'cross' }],
  ['running', { kind: 'running', icon: 'wait' }],
  ['waiting', { kind: 'waiting', icon: 'more' }],
  ['paused', { kind: 'silent', icon: 'pause' }],
  ['skipped', { kind: 'silent', icon: 'away' }],
]);

/** The state as a word with a sign. */
export function StepState({ state }: { state: string }): JSX.Element {
  const look = LOOKS.get(state);
  return (
    <span class={`outcome ${look?.kind ?? 'waiting'}`}>
      <Icon name={look?.icon ?? 'more'} />
      {state}
    </span>
  );
}
