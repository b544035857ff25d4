/** Everything that lives as long as the page. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { signal } from '@preact/signals';
import { Http } from '../api/http.ts';
import { Server } from '../api/server.ts';
import { every, nowMs } from '../model/clock.ts';
import { Catalogue } from './catalogue.ts';
import { Feed } from './feed.ts';
import { Link } from './link.ts';
import { Notices } from './notices.ts';
import { Places } from './places.ts';
import { Session } from './session.ts';
import { ThemeChoice } from './theme.ts';

const LOOK_MS = 3000;

/** The console. */
export class App {
  readonly link = new Link();
  readonly notices = new Notices();
  readonly places = new Places();
  readonly theme = new ThemeChoice();
  readonly feed = new Feed(this.link);
  readonly session: Session;
  readonly server: Server;
  readonly catalogue: Catalogue;
  /** Ticks once a second, for times that are shown as `5 s ago`. */
  readonly now = signal(nowMs());
  /** What is open over the page. */
  readonly overlay = signal<'palette' | 'shortcuts' | undefined>(undefined);

  constructor() {
    const http = new Http(new URL('./', location.href), {
      answered: () => this.link.answered(),
      lost: () => this.link.lost(),
      masterLost: () => this.link.masterLost(),
      expired: () => this.session.expired(),
    });
    this.server = new Server(http);
    this.catalogue = new Catalogue(this.server);
    this.session = new Session(() => this.server);
    every(1000, () => (this.now.value = nowMs()));
    every(LOOK_MS, () => this.#look());
  }

  /** While something is away, asks whether it is back. */
  #look(): void {
    const phase = this.session.phase.peek();
    if (phase === 'away') return void this.session.begin();
    if (this.link.state.peek() === 'ok' || phase !== 'ready') return;
    this.server.me().then(
      () => this.link.masterBack(),
      () => undefined,
    );
  }
}

const Context = createContext<App | undefined>(undefined);

/** Hands the console to everything in the page. */
export const AppProvider = Context.Provider;

/** The console, for whatever is in the page. */
export function useApp(): App {
  const app = useContext(Context);
  if (app === undefined) throw new Error('There is no console around this.');
  return app;
}
