// A minion starts the process of its engines with this: the program in its layers.
'use strict';
require('./launch.cjs')('salt-minion-engine');
