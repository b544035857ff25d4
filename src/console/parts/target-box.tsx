/** The box that takes a target of any kind, and says whom it reaches before anything is sent. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Preview } from '../model/contract.ts';
import { ApiError } from '../api/http.ts';
import { after } from '../model/clock.ts';
import { sentTarget, TARGET_KINDS, targetKind, type TypedTarget } from '../model/targets.ts';
import { useApp } from '../state/app.ts';
import { useLoaded, useRested, type Loaded } from '../state/loading.ts';
import { useNews } from '../state/news.ts';

const REST_MS = 250;
const NAMED_MOST = 60;

/** What is known of whom a target reaches. */
export interface TargetPreview extends Loaded<Preview> {
  /** How many minions the target that stands there now reaches; undefined while that is not known. */
  readonly count: number | undefined;
  /** The answer for what stands there now is on its way. */
  readonly isPending: boolean;
}

/** Whom a target reaches, asked anew when it has rested, and when minions come or go. @param fun whose rights decide */
export function usePreview(target: TypedTarget, fun?: string): TargetPreview {
  const app = useApp();
  const rested = useRested(target, REST_MS, after);
  const news = useNews('minions');
  const can = app.session.can('targets.preview');
  const isAsked = can && rested.text.trim() !== '';
  const loaded = useLoaded(
    isAsked
      ? async (signal) => ({
          of: rested,
          preview: await app.server.preview({ ...sentTarget(rested), fun, limit: NAMED_MOST }, signal),
        })
      : undefined,
    [rested.text, rested.kind, fun, isAsked, news],
  );
  const of = loaded.data?.of;
  const isCurrent = of !== undefined && of.text === target.text && of.kind === target.kind;
  return {
    ...loaded,
    data: loaded.data?.preview,
    count: isCurrent ? loaded.data?.preview.count : undefined,
    isPending: can && target.text.trim() !== '' && !isCurrent && loaded.error === undefined,
  };
}

/** The box. */
export function TargetBox(props: {
  target: TypedTarget;
  onChange: (target: TypedTarget) => void;
  problem?: string | undefined;
  isFocused?: boolean;
}): JSX.Element {
  const { target, onChange } = props;
  const id = useId();
  const kind = TARGET_KINDS.find((each) => each.kind === target.kind);
  return (
    <div class="target-box">
      <label class="field kind">
        <span>Kind</span>
        <select
          value={target.kind}
          onChange={(event) => onChange({ ...target, kind: targetKind(event.currentTarget.value) })}
        >
          {TARGET_KINDS.map(({ kind: each, name }) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field grow">
        <span>Target</span>
        <input
          class="mono"
          type="text"
          autoComplete="off"
          spellcheck={false}
          autoFocus={props.isFocused === true}
          placeholder={kind?.example}
          value={target.text}
          aria-invalid={props.problem !== undefined}
          aria-describedby={id}
          onInput={(event) => onChange({ ...target, text: event.currentTarget.value })}
        />
      </label>
      <span id={id} class="hidden">
        {props.problem ?? ''}
      </span>
    </div>
  );
}

/** Whom the target reaches. */
export function Reach({ preview, target }: { preview: Loaded<Preview>; target: TypedTarget }): JSX.Element {
  const { data, error } = preview;
  if (target.text.trim() === '') return <p class="reach faint">Nobody is named yet.</p>;
  if (error instanceof ApiError && error.status !== 0)
    return <WrongTarget error={error} text={target.text} />;
  if (data === undefined) return <p class="reach faint">…</p>;
  const away = data.count - data.connected;
  return (
    <div class="reach" aria-live="polite">
      <p>
        <strong>
          {data.count.toLocaleString('en')} {data.count === 1 ? 'minion' : 'minions'}
        </strong>
        {away > 0 ? <span class="warn-text"> · {away.toLocaleString('en')} not connected</span> : null}
        {data.missing.length > 0 ? (
          <span class="warn-text"> · without a key: {data.missing.slice(0, 10).join(', ')}</span>
        ) : null}
        {data.unsure ? <span class="faint"> · some have not reported yet and may match as well</span> : null}
      </p>
      {data.allowed ? null : <p class="problem">{data.reason ?? 'You may not do this on these minions.'}</p>}
      <ul class="chips" aria-label="Minions that are reached">
        {data.minions.map(({ id, connected }) => (
          <li
            key={id}
            class={connected ? 'chip' : 'chip off'}
            title={connected ? undefined : 'not connected'}
          >
            {id}
          </li>
        ))}
        {data.count > data.minions.length ? (
          <li class="faint">and {(data.count - data.minions.length).toLocaleString('en')} more</li>
        ) : null}
      </ul>
    </div>
  );
}

function WrongTarget({ error, text }: { error: ApiError; text: string }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {error.position === undefined ? null : (
        <pre class="pointer">
          {text.slice(0, 500)}
          {'\n'}
          {' '.repeat(Math.min(error.position, 500))}^
        </pre>
      )}
    </div>
  );
}
