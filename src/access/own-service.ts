import type { OwnServices, Services } from './context.ts'

/** A feature's own resource with a lifetime: a client, a pool, a cache. */
export interface OwnService<Value> {
  /** Called when the application opens, after the shared services are open. */
  open(services: Services): Value | Promise<Value>
  close?(value: Value): void | Promise<void>
  /** Returns the value of the running application. */
  of(services: Pick<Services, 'own'>): Value
}

/** Declares a service, to be listed in the feature file. */
export function ownService<Value>(
  name: string,
  declaration: Pick<OwnService<Value>, 'open' | 'close'>,
): OwnService<Value> {
  const own: OwnService<Value> = {
    ...declaration,
    of(services) {
      if (!services.own.has(own)) throw new Error(`${name} is not open: no feature of the application lists it`)
      return services.own.get(own) as Value
    },
  }
  return own
}

/** Declarations of whatever values, as a feature lists them. */
export type AnyOwnService = Pick<OwnService<never>, 'close'> & { open(services: Services): unknown }

/** Opens the declared services in order into `own`, and closes the open ones in reverse order. */
export function openOwnServices(declared: readonly AnyOwnService[]): {
  readonly own: OwnServices
  open(services: Services): Promise<void>
  close(): Promise<void>
} {
  const own = new Map<AnyOwnService, unknown>()
  return {
    own,
    async open(services) {
      for (const each of declared) own.set(each, await each.open(services))
    },
    async close() {
      for (const [each, value] of [...own].toReversed()) {
        own.delete(each)
        await each.close?.(value as never)
      }
    },
  }
}
