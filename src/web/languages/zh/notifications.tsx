import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

const happened = {
  opened: '新建',
  comment: '新评论',
  closed: '已关闭',
  reopened: '已重新打开',
  assigned: '指派给你',
  pushed: '新提交',
  readied: '可以评审',
  review: '新评审',
  dismissed: '评审已撤销',
  requested: '请求评审',
  offered: '转移给你',
}

/** Texts of the page of notifications. */
export const notificationTexts: Texts['notificationTexts'] = {
  title: '通知',
  tabs: '通知',
  unread: '未读',
  read: '已读',
  pinned: '已置顶',
  markRead: '标为已读',
  markUnread: '标为未读',
  pin: '置顶',
  unpin: '取消置顶',
  allRead: '全部标为已读',
  selected: '已选择：',
  select: (title) => `选择 ${title}`,
  repositoryRead: '将这些标为已读',
  keys: (tab) => [
    ['j', '下一条'],
    ['k', '上一条'],
    ['e', tab === 'unread' ? '已读' : '未读'],
    ...(tab === 'pinned' ? [] : [['p', '置顶'] as const]),
    ['x', '选择'],
  ],
  marked: (count) => `已更改 ${numberText(count)} 条通知。`,
  reason: ({ what, isMention }, isMerged) => {
    if (isMention) return '提及了你'
    return what === 'closed' && isMerged ? '已合并' : happened[what]
  },
  transfer: '此仓库正待你接受或已转移给你',
  empty: {
    unread: '全部已读',
    read: '暂无已读的通知',
    pinned: '暂无置顶的通知',
  },
  emptyHint: {
    unread: '提及、评审请求，以及你参与或关注的内容中的回复会显示在这里。',
    read: '通知在你阅读之后会移到这里。',
    pinned: '将通知置顶，以便随时查看。',
  },
  subscriptions: {
    title: '订阅',
    lead: '你会收到哪些内容的通知。',
    issues: '议题和拉取请求',
    repositories: '仓库',
    watched: (count) => `${numberText(count)} 个关注的仓库`,
    subscribed: (count) => `${numberText(count)} 个订阅`,
    unwatch: '取消关注',
    unwatchOf: (name) => `取消关注 ${name}`,
    unwatched: '你不再关注此仓库。',
    unsubscribe: '取消订阅',
    unsubscribeOf: (title) => `取消订阅 ${title}`,
    unsubscribed: '除非有人提及你，否则你不会再收到它的通知。',
    noIssues: '你没有手动订阅任何内容',
    noIssuesLead: '你参与的内容无需订阅也会通知你。',
    noRepositories: '你没有关注任何仓库',
    noRepositoriesLead: '点击仓库顶部的眼睛图标，即可得知其新的议题和拉取请求。',
    explore: '探索仓库',
    updated: '更新于',
  },
}
