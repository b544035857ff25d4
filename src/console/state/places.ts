/** Where in the console somebody is: the part of the address behind `#`. */
import { batch, signal } from '@preact/signals';
import { readRoute, type ViewAddress } from '../model/route.ts';

/** Follows the address. */
export class Places {
  readonly route = signal<ViewAddress>(readRoute(location.hash));
  /** How often somebody went to a place: a view is another one then, also when only its fields are other ones. */
  readonly arrivals = signal(0);

  constructor() {
    addEventListener('hashchange', () => {
      batch(() => {
        this.route.value = readRoute(location.hash);
        this.arrivals.value++;
      });
    });
  }

  /** Goes to a view, made by `linkTo`. */
  go(link: string): void {
    location.hash = link.replace(/^#/, '');
  }

  /** Puts other fields into the address without another entry in the history. */
  replace(link: string): void {
    history.replaceState(null, '', link);
    this.route.value = readRoute(link);
  }
}
