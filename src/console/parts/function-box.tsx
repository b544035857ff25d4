/** The box for the name of a function, with completion. */
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { FunctionSummary } from '../model/contract.ts';
import { best } from '../model/fuzzy.ts';

const OFFERED = 12;

/** The box. */
export function FunctionBox(props: {
  value: string;
  functions: readonly FunctionSummary[];
  onChange: (name: string) => void;
}): JSX.Element {
  const { value, functions, onChange } = props;
  const base = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const offered = isOpen ? best(value, functions, ({ name }) => name, OFFERED) : [];
  const take = (name: string): void => {
    onChange(name);
    setOpen(false);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      // what opens the list stands at its first
      setActive(isOpen ? (active + step + offered.length) % Math.max(1, offered.length) : 0);
    } else if (event.key === 'Enter' && isOpen && offered[active] !== undefined) {
      if (!functions.some(({ name }) => name === value)) event.preventDefault();
      take(functions.some(({ name }) => name === value) ? value : (offered[active]?.name ?? value));
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div class="field function-box">
      <label for={`${base}-input`}>Function</label>
      <input
        id={`${base}-input`}
        class="mono"
        type="text"
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        aria-expanded={offered.length > 0}
        aria-controls={`${base}-list`}
        aria-autocomplete="list"
        aria-activedescendant={offered.length > 0 ? `${base}-${active}` : undefined}
        placeholder="state.apply"
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          setOpen(true);
          setActive(0);
        }}
        onFocus={() => setOpen(value === '')}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul
        role="listbox"
        id={`${base}-list`}
        class="offers"
        aria-label="Functions"
        hidden={offered.length === 0}
      >
        {offered.map(({ name, summary, changes }, at) => (
          <li
            role="option"
            id={`${base}-${at}`}
            key={name}
            aria-selected={at === active}
            onMouseDown={(event) => {
              event.preventDefault();
              take(name);
            }}
          >
            <span class="mono">{name}</span>
            {changes === false ? <span class="tag">reads only</span> : null}
            <span class="faint offer-doc">{summary}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
