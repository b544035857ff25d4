/** The frame around all views: menu, state of the connection, log-in, palette, notices. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../model/route.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { NoticeList } from '../parts/notice-list.tsx';
import { useApp } from '../state/app.ts';
import type { Theme } from '../state/theme.ts';
import { Login } from './login.tsx';
import { Palette } from './palette.tsx';
import { PendingMark } from './pending-keys.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { useShortcuts } from './shortcut-keys.ts';
import { VIEWS } from './table.ts';

/** The page. */
export function Shell(): JSX.Element {
  const app = useApp();
  const phase = app.session.phase.value;
  const logins = app.session.logins.value;
  useEffect(() => {
    if (logins > 0) app.feed.start(app.server);
  }, [logins]);
  useShortcuts(VIEWS);
  if (phase === 'starting') return <p class="starting">…</p>;
  if (phase === 'away') return <Away />;
  if (phase === 'login') return <Login isOver={false} />;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Menu />
      <div class="page">
        <TopBar />
        <Banner />
        <Content />
      </div>
      <NoticeList />
      {phase === 'over' ? <Login isOver={true} /> : null}
      {app.overlay.value === 'palette' ? <Palette views={VIEWS} /> : null}
      {app.overlay.value === 'shortcuts' ? <Shortcuts views={VIEWS} /> : null}
    </div>
  );
}

/** A link to `#main` would be taken for the address of a view. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Away(): JSX.Element {
  return (
    <main class="login">
      <div class="login-box" role="alert">
        <h1>salt-api does not answer as it should</h1>
        <p>
          The console keeps trying. See whether salt-api is running, and whether its log says why; with a
          proxy in between, whether that reaches it.
        </p>
      </div>
    </main>
  );
}

function Menu(): JSX.Element {
  const app = useApp();
  const { view } = app.places.route.value;
  return (
    <nav class="menu" aria-label="Views">
      <div class="brand" aria-hidden="true">
        <span class="brand-mark" /> Salt
      </div>
      <ul>
        {VIEWS.filter(({ needs }) => needs === undefined || app.session.can(needs)).map(
          ({ path, name, icon, letter }) => (
            <li key={path}>
              <a
                href={linkTo(path)}
                aria-current={view === path ? 'page' : undefined}
                title={`${name} (g ${letter})`}
              >
                <Icon name={icon} />
                <span>{name}</span>
                {path === 'keys' ? <PendingMark /> : null}
              </a>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

const THEME_NAMES: Readonly<Record<Theme, { icon: IconName; name: string }>> = {
  system: { icon: 'system', name: 'Colours: as the system' },
  light: { icon: 'light', name: 'Colours: light' },
  dark: { icon: 'dark', name: 'Colours: dark' },
};

function TopBar(): JSX.Element {
  const app = useApp();
  const { icon, name } = THEME_NAMES[app.theme.theme.value];
  return (
    <header class="top">
      <button
        type="button"
        class="search-button"

        onClick={() => (app.overlay.value = 'palette')}
      >
        <Icon name="search" />
        <span>Go to or run…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span class="spacer" />
      <ConnectionState />
      <button type="button" class="quiet" aria-label={name} title={name} onClick={() => app.theme.turn()}>
        <Icon name={icon} />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => (app.overlay.value = 'shortcuts')}
      >
        <kbd>?</kbd>
      </button>
      <span class="user" title={`Logged in by ${app.session.me.value?.eauth ?? ''}`}>
        <Icon name="user" /> <span>{app.session.me.value?.user}</span>
      </span>
      <button type="button" class="quiet text" onClick={() => void app.session.logOut()}>
        Log out
      </button>
    </header>
  );
}

function ConnectionState(): JSX.Element {
  const app = useApp();
  const feed = app.feed.state.value;
  const link = app.link.state.value;
  const words: Readonly<Record<typeof feed, string>> = {
    connecting: 'connecting',
    live: 'live',
    lost: 'reconnecting',
    refused: 'no events',
  };
  const kind = link !== 'ok' ? 'bad' : feed === 'live' ? 'good' : feed === 'refused' ? 'still' : 'bad';
  const title =
    feed === 'refused'
      ? 'You may not listen to the event bus: lists are loaded anew from time to time instead.'
      : 'The stream of events';
  return (
    <span class={`connection ${kind}`} role="status" title={title}>
      <span class="dot" aria-hidden="true" /> {link === 'ok' ? words[feed] : 'away'}
    </span>
  );
}

function Banner(): JSX.Element | null {
  const app = useApp();
  const state = app.link.state.value;
  if (state === 'ok') return null;
  return (
    <div class="banner" role="alert">
      <Icon name="warn" />
      {state === 'api-away'
        ? 'salt-api cannot be reached. What you see may be out of date; it goes on by itself as soon as salt-api answers.'
        : 'The master does not answer salt-api. Jobs cannot be started until salt-master is back; the console goes on by itself then.'}
    </div>
  );
}

function Content(): JSX.Element {
  const app = useApp();
  const { view: path, id, query } = app.places.route.value;
  const arrival = app.places.arrivals.value;
  const view = VIEWS.find((each) => each.path === path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isAllowed = view !== undefined && (view.needs === undefined || app.session.can(view.needs));
  useEffect(() => {
    document.title = `${view?.name ?? 'Not found'}${id === undefined ? '' : ` · ${id.slice(0, 80)}`} · Salt console`;
    // whoever uses a screen reader is taken to the new view
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path, id, arrival]);
  const Shown = id === undefined ? view?.list : (view?.one ?? view?.list);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {Shown === undefined ? (
        <Nowhere text="There is no such view." />
      ) : isAllowed ? (
        <Shown key={arrival} id={id} query={query} />
      ) : (
        <Nowhere text="You have no rights to anything in this view. Access shows what you may do." />
      )}
    </main>
  );
}

function Nowhere({ text }: { text: string }): JSX.Element {
  return (
    <div class="view">
      <h1>Nothing here</h1>
      <p>
        {text} <a href={linkTo('now')}>Go to Now</a>
      </p>
    </div>
  );
}
