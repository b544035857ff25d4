/** Parts of a view of which one is shown. Arrow keys move between them. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useId, useRef } from 'preact/hooks';

/** One of the parts. */
export interface Tab {
  readonly key: string;
  readonly name: ComponentChildren;
}

/** Tabs and the part that is shown. */
export function Tabs(props: {
  label: string;
  tabs: readonly Tab[];
  open: string;
  onOpen: (key: string) => void;
  children: ComponentChildren;
}): JSX.Element {
  const { tabs, open, onOpen } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ key }) => key === open);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onOpen(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <div class="tabs-box">
      <div class="tabs" role="tablist" aria-label={props.label} ref={list} onKeyDown={move}>
        {tabs.map(({ key, name }) => (
          <button
            type="button"
            role="tab"
            key={key}
            data-key={key}
            id={`${base}-${key}`}
            aria-selected={key === open}
            aria-controls={key === open ? `${base}-panel` : undefined}
            tabIndex={key === open ? 0 : -1}
            onClick={() => onOpen(key)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${open}`}
        class="tab-panel"
        tabIndex={-1}
      >
        {props.children}
      </div>
    </div>
  );
}
