import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { actEvents, recordAct } from './act.service.ts'
import { moveActs } from './act.store.ts'
import { recordPush } from './push.service.ts'

/** Writes down what people do, so that feeds outlive the events. */
export const recordActs = subscriber({
  name: 'recordActs',
  on: actEvents,
  inTransaction: recordAct,
})

/** Acts in a repository are found by its owner. */
export const moveActsToOwner = subscriber({
  name: 'moveActsToOwner',
  on: 'repo.transferred',
  inTransaction: (tx, { data }) => moveActs(tx, data.repoId),
})

/** The same of pushes, whose commits only git knows. */
export const recordPushes = subscriber({
  name: 'recordPushes',
  on: 'refs.updated',
  pool: 'git',
  afterCommit: (services: Services, event, run) => recordPush(services, event, run),
})
