/**
 * A nested value, as Salt's nested outputter prints it, to be opened and closed; or as JSON. Only so much of it is
 * drawn at a time.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  CHARS_SHOWN,
  ENTRIES_SHOWN,
  LEVELS_OPEN,
  jsonText,
  plainText,
  sizeOf,
  summary,
  valueKind,
} from '../model/value-rows.ts';
import { CopyButton } from './copy-button.tsx';

const JSON_CHARS = 200_000;
const COPY_CHARS = 20_000_000;

/** A value with a switch between both forms. */
export function ValueView({ value, label }: { value: unknown; label: string }): JSX.Element {
  const [form, setForm] = useState<'nested' | 'json'>('nested');
  return (
    <div class="value-view">
      <div class="value-tools">
        <div class="switch" role="group" aria-label="Form">
          {(['nested', 'json'] as const).map((each) => (
            <button type="button" key={each} aria-pressed={form === each} onClick={() => setForm(each)}>
              {each === 'json' ? 'JSON' : 'Nested'}
            </button>
          ))}
        </div>
        <CopyButton
          text={() => (form === 'json' ? jsonText(value, COPY_CHARS).text : nestedText(value))}
          label={`Copy ${label}`}
        />
      </div>
      {form === 'json' ? (
        <Json value={value} label={label} />
      ) : (
        <div class="tree">
          <Node value={value} depth={0} />
        </div>
      )}
    </div>
  );
}

function Json({ value, label }: { value: unknown; label: string }): JSX.Element {
  const { text, isCut } = jsonText(value, JSON_CHARS);
  return (
    <pre class="json" tabIndex={0} aria-label={`${label} as JSON`}>
      {text}
      {isCut ? '\n… cut here; copying takes all of it' : ''}
    </pre>
  );
}

function Node({ value, depth }: { value: unknown; depth: number }): JSX.Element {
  const kind = valueKind(value);
  if (kind === 'list' || kind === 'mapping') return <Entries value={value as object} depth={depth} />;
  if (kind === 'text' || kind === 'block') return <Text text={value as string} />;
  return <span class={`v ${kind}`}>{plainText(value)}</span>;
}

function Text({ text }: { text: string }): JSX.Element {
  const [most, setMost] = useState(CHARS_SHOWN);
  if (text === '') return <span class="v empty">(empty)</span>;
  return (
    <>
      <span class="v text">{text.slice(0, most)}</span>
      {text.length > most ? (
        <button type="button" class="more" onClick={() => setMost(most * 4)}>
          … {(text.length - most).toLocaleString('en')} more characters
        </button>
      ) : null}
    </>
  );
}

function Entries({ value, depth }: { value: object; depth: number }): JSX.Element {
  const [most, setMost] = useState(ENTRIES_SHOWN);
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = sizeOf(value);
  if (count === 0) return <span class="v empty">{isList ? '[]' : '{}'}</span>;
  const shown = Array.from({ length: Math.min(count, most) }, (_, at) => at);
  return (
    <ul class={isList ? 'entries list' : 'entries'}>
      {shown.map((at) => {
        const name = keys?.[at];
        const entry: unknown = isList
          ? (value as unknown[])[at]
          : (value as Record<string, unknown>)[name as string];
        return <Entry key={name ?? at} name={name} value={entry} depth={depth} />;
      })}
      {count > most ? (
        <li>
          <button type="button" class="more" onClick={() => setMost(most + ENTRIES_SHOWN * 5)}>
            … {(count - most).toLocaleString('en')} more entries
          </button>
        </li>
      ) : null}
    </ul>
  );
}

function Entry({
  name,
  value,
  depth,
}: {
  name: string | undefined;
  value: unknown;
  depth: number;
}): JSX.Element {
  const size = sizeOf(value);
  const [isOpen, setOpen] = useState(depth < LEVELS_OPEN && size <= ENTRIES_SHOWN);
  const word = name === undefined ? undefined : name.length > 300 ? `${name.slice(0, 300)}…` : name;
  if (size === 0)
    return (
      <li>
        {word === undefined ? <span class="dash">- </span> : <span class="k">{word}: </span>}
        <Node value={value} depth={depth + 1} />
      </li>
    );
  return (
    <li>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {word === undefined ? '-' : `${word}:`}
        {isOpen ? null : <span class="v empty"> {summary(value, 100)}</span>}
      </button>
      {isOpen ? <Node value={value} depth={depth + 1} /> : null}
    </li>
  );
}

/** A value as the nested outputter has it, to be copied. */
function nestedText(value: unknown): string {
  const lines: string[] = [];
  let room = 500_000;
  const write = (entry: unknown, indent: string): void => {
    if (room <= 0) return;
    if (typeof entry !== 'object' || entry === null) {
      for (const line of plainText(entry).split('\n')) lines.push(`${indent}${line}`);
      room -= plainText(entry).length;
    } else if (Array.isArray(entry)) {
      for (const each of entry) {
        if (typeof each === 'object' && each !== null) {
          lines.push(`${indent}|_`);
          write(each, `${indent}  `);
        } else write(each, `${indent}- `);
      }
    } else
      for (const [key, each] of Object.entries(entry)) {
        lines.push(`${indent}${key}:`);
        room -= key.length;
        write(each, `${indent}    `);
      }
  };
  write(value, '');
  return lines.join('\n');
}
