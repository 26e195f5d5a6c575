import type { ReactionCount } from '../../../issues/timeline/timeline-view.service.ts'
import { Submit } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { keptPart } from '../../ui/kept-part.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Menu } from '../../ui/parts.tsx'
import { timelineTexts as texts } from '../../languages/texts.ts'
import { wordTable } from '../../../lib/word-table.ts'

export interface ReactionsProps {
  readonly reactions: readonly ReactionCount[]
  /** Path that takes `content` and, to take it back, `remove`; undefined: the viewer may not react. */
  readonly to: string | undefined
  /** Sent with each reaction: where the text is shown. */
  readonly from?: string | undefined
}

/** The usual reactions. The table of all emoji takes memory, so another word is shown as it is. */
const signs = wordTable<string>({
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
})

const signOf = (word: string): string => signs[word] ?? word

/** Most names that the explanation of a reaction lists. */
const namedAtMost = 10

const titleOf = ({ content, names }: ReactionCount): string =>
  texts.reactedWith(content, names.slice(0, namedAtMost), Math.max(0, names.length - namedAtMost))

const ReactionMenu = ({ to, from }: { readonly to: string; readonly from?: string | undefined }) => (
  <Menu label={<Icon name="smiley" />} title={texts.react} class="icon-only small reaction-menu" kind="quiet">
    <Form to={to} class="reaction-choices" label={texts.react} hidden={{ from }}>
      {usePage().config.ui.reactions.map((word) => (
        <Submit kind="quiet" class="icon-only" name="content" value={word} title={word} aria-label={word}>
          {signOf(word)}
        </Submit>
      ))}
    </Form>
  </Menu>
)

/** A page with many comments has it very often. */
const KeptReactionMenu = keptPart(ReactionMenu, ['to'])

/** The reactions to a text, and the menu that adds one. */
export const Reactions = ({ reactions, to, from }: ReactionsProps) => {
  const { refused } = usePage()
  if (reactions.length === 0 && to === undefined) return null
  return (
    <div class="reactions">
      {reactions.map((reaction) =>
        to === undefined ? (
          <span class="reaction" title={titleOf(reaction)}>
            <span aria-hidden="true">{signOf(reaction.content)}</span> {reaction.names.length}
            <span class="sr-only">{titleOf(reaction)}</span>
          </span>
        ) : (
          <Form
            to={to}
            class="inline"
            hidden={{ content: reaction.content, remove: reaction.isOwn ? 'true' : undefined, from }}
          >
            <Submit
              kind="quiet"
              class="reaction"
              title={titleOf(reaction)}
              aria-label={titleOf(reaction)}
              aria-pressed={reaction.isOwn ? 'true' : 'false'}
            >
              <span aria-hidden="true">{signOf(reaction.content)}</span> {reaction.names.length}
            </Submit>
          </Form>
        ),
      )}
      {to === undefined ? null : from === undefined && refused?.action !== to ? (
        <KeptReactionMenu to={to} />
      ) : (
        <ReactionMenu to={to} from={from} />
      )}
    </div>
  )
}
