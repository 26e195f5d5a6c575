import type { Texts } from '../translation.ts'

/** Texts of the pages of blocked people. */
export const blockedTexts: Texts['blockedTexts'] = {
  title: '已屏蔽的用户',
  lead: '已屏蔽的用户不能关注你、评论你的议题，也不能在你的仓库中操作。',
  leadOf: (org) => `已屏蔽的用户不能在 ${org} 的仓库中评论或操作。`,
  name: '用户名称',
  block: '屏蔽',
  none: '没有屏蔽任何人。',
  since: '屏蔽于 ',
  unblock: '取消屏蔽',
  unblockOf: (name) => `取消屏蔽 ${name}`,
  self: '你不能屏蔽自己',
  done: (name) => `已屏蔽 ${name}。`,
  ended: (name) => `已取消屏蔽 ${name}。`,
}
