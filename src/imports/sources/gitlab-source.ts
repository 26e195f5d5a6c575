import { mapLimited } from '../../lib/map-limited.ts'
import {
  accountOf,
  issueFieldsOf,
  labelOf,
  maxOfOne,
  milestoneOf,
  pagesOf,
  timesOf,
  writingOf,
} from './common-forms.ts'
import {
  authorOf,
  flagOf,
  indexOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  oidOf,
  textOf,
  textsOf,
  timeOf,
  type JsonObject,
} from './read-json.ts'
import type { SourceClient } from './source-client.ts'
import type { Source, SourceAuthor, SourceIssue, SourcePull, SourceReaction, SourceReview } from './source.ts'
import { wordTable } from '../../lib/word-table.ts'

/** Items per page, the maximum of the server (REST API, pagination). */
const parameters = 'per_page=100&page=1'

/** Local names of GitLab's emoji; others are skipped unless the instance has the same name. */
const reactionWords = wordTable<string>({
  thumbsup: '+1',
  thumbsdown: '-1',
  laughing: 'laugh',
  smile: 'laugh',
  tada: 'hooray',
  thinking: 'confused',
  thinking_face: 'confused',
})

const personOf = (thing: JsonObject, name: string): SourceAuthor => authorOf(memberOf(thing, name), 'username')

const noLabel = { color: 'ededed', description: '', isExclusive: false }

/** Returns the end of a day that is given without a time. */
const dayOf = (thing: JsonObject, name: string): number => {
  const day = textOf(thing, name)
  return timeOf({ day: day === '' ? '' : `${day}T23:59:59Z` }, 'day')
}

/** A note on an issue or a merge request. */
interface Note {
  readonly id: number
  readonly note: JsonObject
}

/** Reads gitlab.com and self-managed GitLab through the REST API (version 4). */
export function gitlabSource(client: SourceClient, path: string): Source {
  const project = `/projects/${encodeURIComponent(path)}`

  const reactionsAt = async (address: string): Promise<SourceReaction[]> => {
    const items = await client.all(`${address}/award_emoji?${parameters}`, 'reactions', maxOfOne)
    return items.map((item) => {
      const award = objectOf(item, 'a reaction')
      const word = textOf(award, 'name')
      return { author: personOf(award, 'user'), content: reactionWords[word] ?? word }
    })
  }

  /** System notes are skipped, and internal ones, which everyone could read here. */
  const notesAt = async (address: string): Promise<Note[]> => {
    const items = await client.all(`${address}/notes?sort=asc&order_by=created_at&${parameters}`, 'comments', maxOfOne)
    return items.flatMap((item) => {
      const note = objectOf(item, 'a comment')
      const isHidden = flagOf(note, 'system') || flagOf(note, 'confidential') || flagOf(note, 'internal')
      return isHidden ? [] : [{ id: numberOf(note, 'id'), note }]
    })
  }

  const commentsOf = (address: string, notes: readonly Note[]) =>
    mapLimited(notes, 2, async ({ id, note }) => ({
      author: personOf(note, 'author'),
      ...writingOf(note),
      reactions: await reactionsAt(`${address}/notes/${id}`),
    }))

  const issueOf = async (
    issue: JsonObject,
    what: string,
    address: string,
    notes: readonly Note[],
  ): Promise<SourceIssue> => ({
    ...issueFieldsOf(issue),
    number: indexOf(issue, 'iid', what),
    author: personOf(issue, 'author'),
    content: textOf(issue, 'description'),
    ref: '',
    // The colours come from the labels of the project.
    labels: textsOf(issue, 'labels').map((text) => ({ ...noLabel, name: text })),
    assignees: listOf(issue, 'assignees').map((person) => authorOf(person, 'username')),
    isClosed: textOf(issue, 'state') !== 'opened',
    isLocked: flagOf(issue, 'discussion_locked'),
    dueUnix: dayOf(issue, 'due_date'),
    closedUnix: timeOf(issue, 'closed_at') || timeOf(issue, 'merged_at'),
    reactions: await reactionsAt(address),
    comments: await commentsOf(address, notes),
  })

  const reviewsOf = async (pull: JsonObject, address: string, lines: readonly Note[]): Promise<SourceReview[]> => {
    const approvals = await client.find(`${address}/approvals`, 'approvals')
    const approved = approvals ? listOf(objectOf(approvals.json, 'approvals'), 'approved_by') : []
    const atUnix = timeOf(pull, 'updated_at')
    const common = { content: '', isDismissed: false, isOfficial: false }
    const answered = [...Map.groupBy(lines, ({ note }) => personOf(note, 'author').name).values()].map(
      (ofOne): SourceReview => {
        const first = ofOne[0] as Note
        return {
          ...common,
          author: personOf(first.note, 'author'),
          type: 'comment',
          commit: oidOf(memberOf(first.note, 'position'), 'head_sha'),
          ...timesOf(first.note),
          comments: ofOne.map(({ note }) => {
            const position = memberOf(note, 'position')
            const line = numberOf(position, 'new_line')
            return {
              author: personOf(note, 'author'),
              ...writingOf(note),
              path: textOf(position, 'new_path') || textOf(position, 'old_path'),
              line: line > 0 ? line : -numberOf(position, 'old_line'),
              hunk: '',
              commit: oidOf(position, 'head_sha'),
            }
          }),
        }
      },
    )
    const verdicts = approved.map((approval): SourceReview => ({
      ...common,
      author: personOf(approval, 'user'),
      type: 'approve',
      commit: oidOf(pull, 'sha'),
      createdUnix: atUnix,
      updatedUnix: atUnix,
      comments: [],
    }))
    return [...answered, ...verdicts]
  }

  return {
    pullRefs: 'refs/merge-requests/*/head',
    numbersPullsSeparately: true,
    async describe() {
      const record = objectOf(await client.get(project, 'such project'), 'the project')
      return {
        description: textOf(record, 'description'),
        website: '',
        topics: [...textsOf(record, 'topics'), ...textsOf(record, 'tag_list')],
        isArchived: flagOf(record, 'archived'),
      }
    },
    whoAmI: () => accountOf(client, 'username'),
    labels: pagesOf(client, `${project}/labels?${parameters}`, 'labels', (item) => ({
      ...labelOf(objectOf(item, 'a label')),
      isExclusive: false,
    })),
    milestones: pagesOf(client, `${project}/milestones?${parameters}`, 'milestones', (item) => {
      const milestone = milestoneOf(item)
      return {
        ...milestone,
        dueUnix: dayOf(objectOf(item, 'a milestone'), 'due_date'),
        closedUnix: milestone.isClosed ? milestone.updatedUnix : 0,
      }
    }),
    releases: pagesOf(client, `${project}/releases?${parameters}`, 'releases', (item) => {
      const release = objectOf(item, 'a release')
      return {
        tagName: textOf(release, 'tag_name'),
        target: oidOf(memberOf(release, 'commit'), 'id'),
        title: textOf(release, 'name'),
        content: textOf(release, 'description'),
        isDraft: false,
        isPrerelease: flagOf(release, 'upcoming_release'),
        author: personOf(release, 'author'),
        createdUnix: timeOf(release, 'released_at') || timeOf(release, 'created_at'),
        assets: listOf(memberOf(release, 'assets'), 'links').map((link) => {
          const url = textOf(link, 'direct_asset_url') || textOf(link, 'url')
          return {
            name: textOf(link, 'name'),
            url,
            isExternal: flagOf(link, 'external') || !client.isOnServer(url),
            sizeBytes: -1,
            downloadCount: 0,
            createdUnix: timeOf(release, 'created_at'),
          }
        }),
      }
    }),
    issues: pagesOf(
      client,
      `${project}/issues?scope=all&state=all&confidential=false&order_by=created_at&sort=asc&${parameters}`,
      'issues',
      async (item) => {
        const issue = objectOf(item, 'an issue')
        const address = `${project}/issues/${indexOf(issue, 'iid', 'an issue')}`
        const notes = numberOf(issue, 'user_notes_count') === 0 ? [] : await notesAt(address)
        return issueOf(issue, 'an issue', address, notes)
      },
    ),
    comments: undefined,
    pulls: pagesOf(
      client,
      `${project}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc&${parameters}`,
      'merge requests',
      async (item) => {
        const pull = objectOf(item, 'a merge request')
        const address = `${project}/merge_requests/${indexOf(pull, 'iid', 'a merge request')}`
        const notes = numberOf(pull, 'user_notes_count') === 0 ? [] : await notesAt(address)
        const isLine = ({ note }: Note): boolean => textOf(note, 'type') === 'DiffNote'
        const issue = await issueOf(
          pull,
          'a merge request',
          address,
          notes.filter((note) => !isLine(note)),
        )
        const isMerged = textOf(pull, 'state') === 'merged'
        const merger = [memberOf(pull, 'merge_user'), memberOf(pull, 'merged_by')].find(
          (one) => numberOf(one, 'id') > 0,
        )
        return {
          ...issue,
          baseBranch: textOf(pull, 'target_branch'),
          baseCommit: oidOf(memberOf(pull, 'diff_refs'), 'base_sha'),
          headBranch: textOf(pull, 'source_branch'),
          headCommit: oidOf(pull, 'sha'),
          isHeadHere: numberOf(pull, 'source_project_id') === numberOf(pull, 'target_project_id'),
          isMerged,
          mergedUnix: isMerged ? timeOf(pull, 'merged_at') || issue.updatedUnix : 0,
          mergeCommit: isMerged ? oidOf(pull, 'merge_commit_sha') || oidOf(pull, 'squash_commit_sha') : '',
          mergedBy: isMerged && merger ? authorOf(merger, 'username') : undefined,
          reviews: await reviewsOf(pull, address, notes.filter(isLine)),
        } satisfies SourcePull
      },
    ),
    download: (asset, maxBytes) => client.download(asset.url, `the file ${asset.name}`, maxBytes),
  }
}
