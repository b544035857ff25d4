// A thread of salt-api lists all functions with this (src/programs/api/v2/catalog.ts).
'use strict';
require('./launch.cjs')('function-catalog');
