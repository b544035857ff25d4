/** The views: their addresses, names, shortcuts, and the right without which they are not offered. */
import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { AccessView } from './access.tsx';
import { JobView } from './job.tsx';
import { JobsView } from './jobs.tsx';
import { KeysView } from './keys.tsx';
import { MinionView } from './minion.tsx';
import { MinionsView } from './minions.tsx';
import { NowView } from './now.tsx';
import { OrchestrationView } from './orchestration.tsx';
import { OrchestrationsView } from './orchestrations.tsx';
import { RunView } from './run.tsx';
import { RunProgressView } from './run-progress.tsx';
import { StatesView } from './states.tsx';
import type { ViewProps } from './view-props.ts';

/** A view. */
export interface View {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** Pressed after `g`. */
  readonly letter: string;
  /** An operation of the API; undefined for what everybody gets. */
  readonly needs: string | undefined;
  readonly list: FunctionComponent<ViewProps>;
  /** With an id behind the path. */
  readonly one?: FunctionComponent<ViewProps>;
}

/** All views, in the order of the menu. */
export const VIEWS: readonly View[] = [
  { path: 'now', name: 'Now', icon: 'now', letter: 'n', needs: undefined, list: NowView },
  {
    path: 'minions',
    name: 'Minions',
    icon: 'minions',
    letter: 'm',
    needs: 'minions.list',
    list: MinionsView,
    one: MinionView,
  },
  {
    path: 'run',
    name: 'Run',
    icon: 'run',
    letter: 'r',
    needs: undefined,
    list: RunView,
    one: RunProgressView,
  },
  { path: 'states', name: 'States', icon: 'states', letter: 's', needs: undefined, list: StatesView },
  { path: 'jobs', name: 'Jobs', icon: 'jobs', letter: 'j', needs: undefined, list: JobsView, one: JobView },
  {
    path: 'orchestrations',
    name: 'Orchestrations',
    icon: 'orchestrations',
    letter: 'o',
    needs: 'orchestrations.list',
    list: OrchestrationsView,
    one: OrchestrationView,
  },
  { path: 'keys', name: 'Keys', icon: 'keys', letter: 'k', needs: 'keys.list', list: KeysView },
  { path: 'access', name: 'Access', icon: 'access', letter: 'a', needs: undefined, list: AccessView },
];
