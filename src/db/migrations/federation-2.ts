import type { Migration } from './migration.ts'

/**
 * An activity that is refused may be taken later: it steps aside, and what the same person sends to the same inbox waits for
 * it. Likes that one server is sent have times in their order.
 */
export const federation2: Migration = {
  name: 'federation-2',
  statements: [
    `alter table activity_delivery add column attempts integer not null default 0`,
    `alter table activity_delivery add column next_ms bigint not null default 0`,
    `alter table federated_server add column latest_sent_ms bigint not null default 0`,
  ],
}
