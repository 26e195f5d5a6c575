import type { ActivityStreamsObject } from '../actors/actor.schemas.ts'

const context = 'https://www.w3.org/ns/activitystreams'

export interface Collection {
  /** Address of the collection. */
  readonly id: string
  readonly total: number
  /** Number of the page, from 1; undefined for the collection itself. */
  readonly page: number | undefined
  readonly pageSize: number
  readonly items: readonly unknown[]
}

/** A collection, which tells where its pages are, or one of them. */
export function presentCollection({ id, total, page, pageSize, items }: Collection): ActivityStreamsObject {
  if (page === undefined) {
    const whole = { '@context': context, id, type: 'OrderedCollection', totalItems: total }
    return total === 0 ? { ...whole, orderedItems: [] } : { ...whole, first: `${id}?page=1` }
  }
  const hasNext = page * pageSize < total
  return {
    '@context': context,
    id: `${id}?page=${page}`,
    type: 'OrderedCollectionPage',
    partOf: id,
    totalItems: total,
    ...(hasNext ? { next: `${id}?page=${page + 1}` } : {}),
    ...(page > 1 ? { prev: `${id}?page=${page - 1}` } : {}),
    orderedItems: items,
  }
}
