/** The command palette: views, minions, jobs and functions by a few letters. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { after } from '../model/clock.ts';
import { best } from '../model/fuzzy.ts';
import { linkTo } from '../model/route.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useApp, type App } from '../state/app.ts';
import { useLoaded, useRested } from '../state/loading.ts';

/** Something to choose. */
interface Choice {
  readonly key: string;
  readonly icon: IconName;
  readonly text: string;
  readonly hint: string;
  readonly act: () => void;
}

const SHOWN = 12;
const REST_MS = 120;

/** The dialog. */
export function Palette(props: {
  views: readonly {
    readonly path: string;
    readonly name: string;
    readonly icon: IconName;
    readonly letter: string;
    readonly needs: string | undefined;
  }[];
}): JSX.Element {
  const app = useApp();
  const base = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const rested = useRested(query.trim(), REST_MS, after);
  const minions = useLoaded(
    rested.length > 0 && app.session.can('minions.list')
      ? (signal) => app.server.minions({ search: rested, limit: '6' }, signal)
      : undefined,
    [rested],
  );
  const functions = useLoaded(() => app.catalogue.list('local'), []);
  const close = (): void => {
    app.overlay.value = undefined;
  };
  const views = props.views
    .filter(({ needs }) => needs === undefined || app.session.can(needs))
    .map(({ path, name, icon, letter }): Choice => ({
      key: `view ${path}`,
      icon,
      text: name,
      hint: `g ${letter}`,
      act: () => app.places.go(linkTo(path)),
    }));
  const choices = [
    ...jobChoice(app, query.trim()),
    ...best(query, [...views, ...actions(app)], ({ text }) => text, SHOWN),
    ...(query.trim() === ''
      ? []
      : (minions.data?.items ?? []).map(({ id, os }) => minionChoice(app, id, os))),
    ...(query.trim() === ''
      ? []
      : best(query, functions.data ?? [], ({ name }) => name, 6).map(({ name, summary }) =>
          functionChoice(app, name, summary),
        )),
  ].slice(0, SHOWN * 2);
  useEffect(() => setActive(0), [query]);
  useEffect(
    () => document.getElementById(`${base}-${active}`)?.scrollIntoView({ block: 'nearest' }),
    [active],
  );
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    close();
    choice.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((at) => (at + step + Math.max(1, choices.length)) % Math.max(1, choices.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(choices[active]);
    }
  };
  return (
    <Dialog title="Go to or run" onClose={close} kind="palette">
      <input
        type="text"
        role="combobox"
        aria-label="View, minion, job id or function"
        placeholder="A view, a minion, a job id, a function…"
        autoComplete="off"
        spellcheck={false}
        autoFocus
        aria-expanded={choices.length > 0}
        aria-controls={`${base}-list`}
        aria-activedescendant={choices.length > 0 ? `${base}-${active}` : undefined}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id={`${base}-list`} aria-label="Choices" class="choices">
        {choices.map((choice, at) => (
          <li
            role="option"
            key={choice.key}
            id={`${base}-${at}`}
            aria-selected={at === active}
            onMouseMove={() => setActive(at)}
            onClick={() => choose(choice)}
          >
            <Icon name={choice.icon} />
            <span class="choice-text">{choice.text}</span>
            <span class="faint">{choice.hint}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 ? <p class="faint">Nothing goes by that name.</p> : null}
    </Dialog>
  );
}

function actions(app: App): Choice[] {
  return [
    {
      key: 'theme',
      icon: 'dark',
      text: 'Turn colours: light, dark, system',
      hint: '',
      act: () => app.theme.turn(),
    },
    {
      key: 'keys',
      icon: 'more',
      text: 'Keyboard shortcuts',
      hint: '?',
      act: () => (app.overlay.value = 'shortcuts'),
    },
    { key: 'logout', icon: 'user', text: 'Log out', hint: '', act: () => void app.session.logOut() },
  ];
}

function jobChoice(app: App, query: string): Choice[] {
  if (!/^\d{17,20}$/.test(query)) return [];
  return [
    {
      key: 'job',
      icon: 'jobs',
      text: `Job ${query}`,
      hint: 'job',
      act: () => app.places.go(linkTo('jobs', query)),
    },
  ];
}

function minionChoice(app: App, id: string, os: string | null): Choice {
  return {
    key: `minion ${id}`,
    icon: 'minions',
    text: id,
    hint: os ?? 'minion',
    act: () => app.places.go(linkTo('minions', id)),
  };
}

function functionChoice(app: App, name: string, summary: string): Choice {
  return {
    key: `function ${name}`,
    icon: 'run',
    text: name,
    hint: summary.slice(0, 70),
    act: () => app.places.go(linkTo('run', undefined, { fun: name })),
  };
}
