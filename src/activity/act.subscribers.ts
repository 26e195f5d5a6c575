import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { actEvents, recordAct } from './act.service.ts'
import { moveActs } from './act.store.ts'
import { recordPush } from './push.service.ts'

/** Stores acts, so that feeds outlive the events. */
export const recordActs = subscriber({
  name: 'recordActs',
  on: actEvents,
  inTransaction: recordAct,
})

/** Moves the acts of a transferred repository to its new owner. */
export const moveActsToOwner = subscriber({
  name: 'moveActsToOwner',
  on: 'repo.transferred',
  inTransaction: (tx, { data }) => moveActs(tx, data.repoId),
})

/** Stores the acts of a push in a job, because git has the commits. */
export const recordPushes = subscriber({
  name: 'recordPushes',
  on: 'refs.updated',
  pool: 'git',
  afterCommit: (services: Services, event, run) => recordPush(services, event, run),
})
