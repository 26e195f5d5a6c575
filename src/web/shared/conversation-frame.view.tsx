import type { ComponentChildren } from 'preact'
import { Link } from '../ui/link.tsx'

/** Id of the frame around a conversation. */
export const conversationFrame = 'conversation'

/** The conversation of a page. The list of notifications shows it beside itself, with a link to the page. */
export const ConversationFrame = ({
  to,
  name,
  children,
}: {
  /** The page of the conversation. */
  readonly to: string
  readonly name: string
  readonly children: ComponentChildren
}) => (
  <turbo-frame id={conversationFrame} target="_top">
    <p class="beside-only">
      <Link to={to} data-turbo-frame="_top">
        {name}
      </Link>
    </p>
    {children}
  </turbo-frame>
)
