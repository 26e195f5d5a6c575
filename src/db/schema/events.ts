import type { AreaSchema } from './area.ts'

/** The order of committed events. */
export const events: AreaSchema = {
  postgres: [`create sequence event_position`],
}
