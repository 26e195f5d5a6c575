import { escapeHtml } from '../../markup/html.ts'
import type { HookType } from '../hook.rules.ts'
import { partsOf, type ToldEvent } from './payload-parts.ts'
import { commitLines, cutText, plainLink, shortId, storyOf, type Story } from './story.ts'
import { wordTable } from '../../lib/word-table.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Makes what a service's receivers read; undefined when there is nothing to say. */
export type Adaptor = (told: ToldEvent, metadata: unknown) => object | undefined

/** An adaptor that tells the story. */
const telling =
  (tell: (story: Story, metadata: Readonly<Record<string, string>>, told: ToldEvent) => object): Adaptor =>
  (told, metadata) => {
    const story = storyOf(told)
    return story && tell(story, (metadata ?? {}) as Readonly<Record<string, string>>, told)
  }

// Slack's own form of text: https://api.slack.com/reference/surfaces/formatting
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const slackLink = (url: string, text: string): string => `<${url}|${slackText(text)}>`

function slackHeadline(story: Story, told: ToldEvent): string {
  const { push, repoName, repoUrl, sender } = story
  if (push) {
    const branch = `[${slackText(repoName)}:${slackLink(push.branchUrl, push.branch)}]`
    return `${branch} ${slackLink(push.compareUrl, push.count)} pushed by ${slackText(sender.login)}`
  }
  if (story.kind !== 'ref') return story.headline(slackLink, { plain: slackText })
  const [kind = '', name = ''] = story.fact ?? []
  const isNew = told.eventType === 'create'
  const url = `${repoUrl}/src/${kind.replace(':', '')}/${name.split('/').map(encodeURIComponent).join('/')}`
  const shown = isNew ? slackLink(url, name) : slackText(name)
  return `[${slackText(repoName)}:${shown}] ${kind.replace(':', '')} ${isNew ? 'created' : 'deleted'} by ${slackText(sender.login)}`
}

function slackAttachments(story: Story, color: string): object[] | null {
  const { push, repoUrl } = story
  if (push) {
    const text = push.commits
      .map(({ id, url, message, author }) => {
        const [firstLine = ''] = message.split('\n', 1)
        return `${slackLink(url, shortId(id))}: ${slackText(firstLine)} - ${slackText(author.name)}`
      })
      .join('\n')
    return [{ fallback: '', color, title: repoUrl, title_link: repoUrl, text }]
  }
  if (story.body === '') return null
  // Titles of comments are taken as they are (observed).
  const title = story.kind === 'comment' ? story.title : slackText(story.title)
  return [{ fallback: '', color: story.color, title, title_link: story.url, text: slackText(story.body) }]
}

const slack = telling((story, metadata, told) => ({
  channel: metadata['channel'] ?? '',
  text: slackHeadline(story, told),
  username: metadata['username'] ?? '',
  icon_url: metadata['icon_url'] ?? '',
  unfurl_links: 0,
  link_names: 0,
  attachments: slackAttachments(story, metadata['color'] || story.color),
}))

// https://discord.com/developers/docs/resources/webhook#execute-webhook: a name or picture that is none must not be there.
const discord = telling((story, metadata) => ({
  ...(metadata['username'] ? { username: cutText(metadata['username'], 80) } : {}),
  ...(metadata['icon_url'] ? { avatar_url: metadata['icon_url'] } : {}),
  embeds: [
    {
      title: cutText(story.headline(plainLink, { withSender: false }), 256),
      description: cutText(story.push ? commitLines(story.push.commits) : story.body, 2000),
      url: story.url,
      color: Number.parseInt(story.color, 16),
      footer: { text: '' },
      author: { name: story.sender.login, url: story.sender.html_url, icon_url: story.sender.avatar_url },
    },
  ],
}))

const dingtalk = telling((story) => {
  const headline = story.headline(plainLink)
  const body = story.body === '' ? '' : `\r\n\r\n${story.body}`
  return {
    msgtype: 'actionCard',
    text: { content: '' },
    actionCard: {
      text: story.push ? commitLines(story.push.commits) : `${headline}${body}`,
      title: story.title === '' ? headline : story.title,
      hideAvatar: '0',
      singleTitle: story.opens,
      singleURL: `dingtalk://dingtalkclient/page/link?pc_slide=false&url=${encodeURIComponent(story.url)}`,
    },
  }
})

// https://core.telegram.org/bots/api#html-style: everything that is no tag of ours is escaped.
const telegramLink = (url: string, text: string): string =>
  `<a href="${escapeHtml(url)}" rel="nofollow">${escapeHtml(text)}</a>`

const telegram = telling((story) => {
  const headline = story.headline(telegramLink, { plain: escapeHtml })
  const commits = (story.push?.commits ?? []).map(
    ({ id, url, message, author }) =>
      `\n[${telegramLink(url, shortId(id))}] ${escapeHtml(trimTrailing(message, '\n'))} - ${escapeHtml(author.name)}`,
  )
  const gap = story.kind === 'comment' ? '\n' : '\n\n'
  const body = story.body === '' ? '' : `${gap}${escapeHtml(cutText(story.body, 2000))}`
  return { text: `${headline}${commits.join('')}${body}`, parse_mode: 'HTML', disable_web_page_preview: true }
})

const msteams = telling((story) => {
  const headline = story.headline(plainLink, { withSender: false })
  const { sender, fact, push } = story
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: story.color,
    title: headline,
    summary: headline,
    sections: [
      {
        activityTitle: sender.full_name === '' ? sender.login : sender.full_name,
        activitySubtitle: sender.login,
        activityImage: sender.avatar_url,
        facts: [{ name: 'Repository:', value: story.repoName }, ...(fact ? [{ name: fact[0], value: fact[1] }] : [])],
        text: push ? commitLines(push.commits) : story.body,
      },
    ],
    potentialAction: [
      { '@type': 'OpenUri', name: 'Open in the browser', targets: [{ os: 'default', uri: story.url }] },
    ],
  }
})

const feishuKinds = wordTable<string>({ issue: 'Issue', pull: 'PullRequest', comment: 'Comment' })

function feishuText(story: Story, told: ToldEvent): string {
  const { push, issue, sender, repoName } = story
  if (push) return `[${repoName}:${push.branch}] \r\n${commitLines(push.commits)}`
  const kind = feishuKinds[story.kind]
  if (!issue || kind === undefined) {
    const headline = story.headline(plainLink)
    return story.body === '' ? headline : `${headline}\r\n\r\n${story.body}`
  }
  const by = `${told.payload['pull_request'] === undefined ? 'Issue' : 'PullRequest'} by ${issue.user?.login ?? ''}`
  const body = story.kind === 'comment' ? story.body : issue.body
  return (
    `[${kind}-${repoName} #${issue.number}]: ${story.action}\n${issue.title}\n${issue.html_url}\n` +
    `${by}\nOperator: ${sender.login}\n\n${body}`
  )
}

const feishu = telling((story, _, told) => ({ msg_type: 'text', content: { text: feishuText(story, told) } }))

function wechatText(story: Story): string {
  const { push, repoName, url } = story
  if (push) {
    const commits = push.commits.map(
      ({ id, url: at, message, author }) =>
        ` > [${shortId(id)}](${at}) \r\n ><font color="info">${message.replaceAll('\n\n', '\r\n')}</font> \n ` +
        `><font color="warning">Author: ${author.name}</font>`,
    )
    return `# ${repoName}:${push.branch} <font color="warning">    </font>\r\n\r\n${commits.join('\n')}`
  }
  const headline = story.headline(plainLink)
  if (!story.issue) return headline
  const space = story.kind === 'comment' ? '' : ' '
  return (
    ` ><font color="info">${headline}</font>\n >${story.body} \n ` +
    `><font color="warning">${space}${story.title}</font> \n [${url}](${url})`
  )
}

const wechatwork = telling((story) => ({
  msgtype: 'markdown',
  text: { content: '', mentioned_list: null, mentioned_mobile_list: null },
  markdown: { content: wechatText(story) },
}))

/** Most of a text for Matrix, which takes messages below 64 KiB, in both its forms together. */
const matrixBodyLength = 8000

// https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes
const matrix = telling((story, metadata) => {
  const commits = story.push?.commits ?? []
  const htmlCommits = commits.map(
    ({ id, url, message, author }) =>
      `<br>${telegramLink(url, shortId(id))}: ${escapeHtml(cutText(message.split('\n', 1)[0] ?? '', 200))} - ` +
      escapeHtml(author.name),
  )
  const body = cutText(story.body, matrixBodyLength)
  const html = body === '' ? '' : `<br>${escapeHtml(body).replaceAll('\n', '<br>')}`
  const text = commits.map(
    ({ id, message, author }) => `\n${shortId(id)}: ${cutText(message.split('\n', 1)[0] ?? '', 200)} - ${author.name}`,
  )
  return {
    body: `${story.headline(plainLink)}${text.join('')}${body === '' ? '' : `\n${body}`}`,
    msgtype: String(metadata['message_type']) === '1' ? 'm.text' : 'm.notice',
    format: 'org.matrix.custom.html',
    formatted_body: `${story.headline(telegramLink, { plain: escapeHtml })}${htmlCommits.join('')}${html}`,
    'io.gitea.commits': commits.map(({ id, url }) => ({ id, url })),
  }
})

/** Packagist looks at the repository anew, whatever has happened: https://packagist.org/apidoc#update-package */
const packagist: Adaptor = (told, metadata) => ({
  repository: { url: (metadata as { package_url?: string } | null)?.package_url || partsOf(told).repository.html_url },
})

/** Builds of SourceHut take a manifest, which a webhook that was made through the API has no place for. */
const sourcehut: Adaptor = () => undefined

const adaptors: ReadonlyMap<string, Adaptor> = new Map<HookType, Adaptor>([
  ['slack', slack],
  ['discord', discord],
  ['dingtalk', dingtalk],
  ['telegram', telegram],
  ['msteams', msteams],
  ['feishu', feishu],
  ['wechatwork', wechatwork],
  ['matrix', matrix],
  ['packagist', packagist],
  ['sourcehut_builds', sourcehut],
])

/** What makes the body for receivers of a type; undefined for those that get the payload itself. */
export const adaptorOf = (type: string): Adaptor | undefined => adaptors.get(type)
