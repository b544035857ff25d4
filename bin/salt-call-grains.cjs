// salt-call has its grains collected by this (src/cli/call/caller-grains.ts) while it reads its files.
'use strict';
require('./launch.cjs')('salt-call-grains');
