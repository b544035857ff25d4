// A master starts each of its parts with this (src/programs/daemon/supervisor.ts); the title of one says what it does.
'use strict';
const [, , title = ''] = process.argv;
const role = /(\w+?)(?:-\d+)?\s*$/.exec(title)?.[1] ?? 'part';
require('./launch.cjs')('salt-master-child', [], {}, `salt-master-${role}`);
