import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { actEvents, recordAct } from './act.service.ts'
import { moveActs } from './act.store.ts'
import { recordPush, recordRefs } from './push.service.ts'

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

/** Stores the acts of a push with the change, so that feeds are in the order of the changes. */
export const recordPushedRefs = subscriber({
  name: 'recordPushedRefs',
  on: 'refs.updated',
  beforeCommit: recordRefs,
})

/** Adds the commits to the acts of a push in a job, because git has them. */
export const recordPushes = subscriber({
  name: 'recordPushes',
  on: 'refs.updated',
  pool: 'git',
  afterCommit: (services: Services, event, run) => recordPush(services, event, run),
})
