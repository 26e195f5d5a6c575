import { isDeepStrictEqual } from 'node:util'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRepoById, updateRepo } from '../repo.store.ts'
import { isTopic, maxTopics, normaliseTopics } from './topic.rules.ts'
import { deleteRepoTopics, insertRepoTopics, listTopicIds, upsertTopics } from './topic.store.ts'

/** Lists the names of the repository's topics in order. */
export const topicsOf = ({ repo }: Pick<RepoCtx, 'repo'>): string[] => JSON.parse(repo.topics) as string[]

const tooMany = () =>
  new Invalid(`a repository has at most ${maxTopics} topics`, 'too_many_topics', { fields: { invalidTopics: null } })

/** Replaces the repository's topics. Throws `Invalid` for bad names or too many. */
export async function replaceTopics(ctx: SignedInRepoCtx, names: readonly string[]): Promise<void> {
  const topics = normaliseTopics(names)
  if (topics.length > maxTopics) throw tooMany()
  const invalid = topics.filter((name) => !isTopic(name))
  if (invalid.length > 0) {
    throw new Invalid('some topics are not valid', 'topic_invalid', { fields: { invalidTopics: invalid } })
  }
  await changeTopics(ctx, () => topics)
}

const oneTopic = (name: string): string => {
  const topic = name.trim().toLowerCase()
  if (!isTopic(topic)) {
    throw new Invalid('the topic is not valid', 'topic_invalid', { fields: { invalidTopics: topic } })
  }
  return topic
}

/** Adds a topic, if the repository does not have it. */
export async function addTopic(ctx: SignedInRepoCtx, name: string): Promise<void> {
  const topic = oneTopic(name)
  await changeTopics(ctx, (present) => {
    if (present.includes(topic)) return present
    if (present.length >= maxTopics) throw tooMany()
    return [...present, topic]
  })
}

/** Removes a topic; `NotFound` when the repository does not have it. */
export async function removeTopic(ctx: SignedInRepoCtx, name: string): Promise<void> {
  const topic = oneTopic(name)
  await changeTopics(ctx, (present) => {
    if (!present.includes(topic)) throw new NotFound('the repository does not have the topic', 'topic_not_found')
    return present.filter((each) => each !== topic)
  })
}

/** Changes the current list in a transaction, so that concurrent changes both apply. */
async function changeTopics(
  { db, repo, viewer, clock }: SignedInRepoCtx,
  change: (present: readonly string[]) => readonly string[],
): Promise<void> {
  const now = nowUnix(clock)
  await transaction(db, async (tx) => {
    // Locks the row against concurrent changes.
    await updateRepo(tx, repo.id, { updated_unix: now })
    const row = await findRepoById(tx, repo.id)
    const before = JSON.parse(row?.topics ?? '[]') as string[]
    const next = change(before)
    const wanted = (await upsertTopics(tx, next, now)).map((topic) => topic.id)
    const present = await listTopicIds(tx, repo.id)
    await deleteRepoTopics(
      tx,
      repo.id,
      present.filter((id) => !wanted.includes(id)),
    )
    await insertRepoTopics(tx, repo.id, wanted)
    await updateRepo(tx, repo.id, { topics: JSON.stringify(next) })
    if (isDeepStrictEqual(next, before)) return
    await publish(tx, 'repo.updated', { repoId: repo.id, doerId: viewer.id, oldTopics: before })
  })
}
