/** The console begins here. */
import { render } from 'preact';
import { App, AppProvider } from '../state/app.ts';
import { Shell } from './shell.tsx';

const app = new App();
void app.session.begin();
const root = document.getElementById('root');
if (root !== null)
  render(
    <AppProvider value={app}>
      <Shell />
    </AppProvider>,
    root,
  );
