// A master starts each of its parts with this (src/programs/daemon/supervisor.ts): the program in its layers.
'use strict';
require('./launch.cjs')('salt-master-child');
