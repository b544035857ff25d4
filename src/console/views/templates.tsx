/** Calls that are kept under a name, in this browser. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FunctionKind } from '../api/server.ts';
import type { Target } from '../model/targets.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useApp } from '../state/app.ts';

/** A call. */
export interface Template {
  readonly kind: FunctionKind;
  readonly target: Target;
  readonly fun: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly line: string;
}

interface Named extends Template {
  readonly name: string;
}

const KEY = 'brine-templates';
const TEMPLATES_MOST = 200;

/** The list, and the button that adds what the form says. */
export function Templates({
  current,
  onTake,
}: {
  current: Template;
  onTake: (template: Template) => void;
}): JSX.Element {
  const app = useApp();
  const [list, setList] = useState<readonly Named[]>(stored());
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const keep = (next: readonly Named[]): void => {
    setList(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      app.notices.error(
        'The browser does not keep anything for this page, so that templates are lost with it.',
      );
    }
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Templates
      </button>
      {isOpen ? (
        <Dialog title="Templates" onClose={() => setOpen(false)}>
          <p class="faint">
            Calls that you use again. They are kept in this browser; do not put secrets into them.
          </p>
          <ul class="templates">
            {list.map((each) => (
              <li key={each.name}>
                <button
                  type="button"
                  class="quiet text grow"
                  onClick={() => {
                    onTake(each);
                    setOpen(false);
                  }}
                >
                  <strong>{each.name}</strong> <span class="mono faint">{each.fun}</span>
                </button>
                <button
                  type="button"
                  class="quiet text"
                  onClick={() => keep(list.filter((other) => other !== each))}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
          {list.length === 0 ? <p>There are none yet.</p> : null}
          {current.fun === '' ? null : (
            <form
              class="row"
              onSubmit={(event) => {
                event.preventDefault();
                keep(
                  [...list.filter((each) => each.name !== name), { ...current, name }].slice(-TEMPLATES_MOST),
                );
                setName('');
              }}
            >
              <label class="field grow">
                <span>Keep the form as</span>
                <input
                  type="text"
                  required
                  maxLength={80}
                  value={name}
                  onInput={(event) => setName(event.currentTarget.value)}
                />
              </label>
              <button type="submit">Keep</button>
            </form>
          )}
          <div class="buttons">
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function stored(): Named[] {
  try {
    const given: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(given) ? given.filter(isNamed).slice(0, TEMPLATES_MOST) : [];
  } catch {
    return [];
  }
}

function isNamed(value: unknown): value is Named {
  if (typeof value !== 'object' || value === null) return false;
  const { name, fun, kind, target, fields, line } = value as Partial<Named>;
  return (
    [name, fun, kind, line].every((each) => typeof each === 'string') &&
    typeof target === 'object' &&
    typeof fields === 'object' &&
    typeof target?.text === 'string'
  );
}
