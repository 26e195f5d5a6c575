import type { Texts } from '../translation.ts'

/** Texts of the pages that lead into an account. A function takes what its text names; a text with markup is JSX. */
export const entryTexts: Texts['entryTexts'] = {
  signIn: {
    heading: (appName) => `登录 ${appName}`,
    nameOrAddress: '名称或邮箱地址',
    remember: (days) => `${days} 天内保持登录`,
    passwordsOff: '本站不能用密码登录。',
    withProvider: (provider) => `用 ${provider} 登录`,
    withPasskey: '用通行密钥登录',
    forgotPassword: '忘记密码？',
    noAccount: '还没有账号？',
    wrong: '名称、地址或密码不正确。',
    unknownPasskey: '此通行密钥不属于本站的任何账号，或页面已过期。请重试。',
    done: {
      confirmed: '你的账号已准备就绪，请登录。',
      password: '密码已更改，请用新密码登录。',
      address: '地址已确认。',
      waiting: '你的账号已创建。管理员批准后即可登录。',
    },
  },
  signUp: {
    heading: (appName) => `注册 ${appName}`,
    nameHint: '字母和数字，中间可以有单个的 -、_ 或点。所有人都能看到它。',
    working: '请稍候：你的浏览器正在证明自己不是批量注册程序。',
    haveAccount: '已有账号？',
  },
  checkMail: {
    title: '请查收邮件',
    signUp: ({ isSentAgain, minutes }) =>
      `${isSentAgain ? '另一封邮件' : '一封邮件'}正发往你的地址。其中的链接用来创建你的账号，${minutes} 分钟内有效。`,
    reset: (address, minutes) =>
      `如果有账号使用地址 ${address}，就会有一封邮件发往该地址。其中的链接 ${minutes} 分钟内有效。`,
    nothingCame: '没有收到？',
    sendAgainHint: '请查看垃圾邮件文件夹，或重新发送邮件：',
    sendAgain: '重新发送',
    spamFolder: '请查看垃圾邮件文件夹，或',
    askAgain: '重新请求',
  },
  confirm: {
    title: '创建你的账号',
    withAddress: (address, name) => (
      <>
        使用地址 <strong>{address}</strong>
        {name === undefined ? '。' : ` 和名称 ${name}。`}
      </>
    ),
    create: '创建',
  },
  recovery: {
    title: '重置密码',
    intro: '我们会向你账号的地址发送一封带有链接的邮件。',
    send: '发送邮件',
    back: '返回登录',
    newPasswordFor: (login) => `${login} 的新密码`,
    secondFactor: '第二重验证',
    secondFactorHint: '身份验证器应用中的验证码，或备用码。',
    signsOut: '这会使登录此账号的所有浏览器退出登录。',
  },
  secondFactor: {
    title: '第二重验证',
    code: '身份验证器应用中的验证码',
    scratch: '备用码',
    needsScripts: '使用通行密钥需要能运行脚本的浏览器。',
    usePasskey: '使用通行密钥',
    useScratch: '使用备用码',
    useDevice: '使用你的设备',
    wrongPasskey: '此通行密钥不属于该账号，或页面已过期。请重试。',
    wrongCode: '验证码错误或已被使用。',
  },
  authorize: {
    title: (application) => `授权 ${application}`,
    heading: (application) => `要授权“${application}”吗？`,
    target: (address) => (
      <>
        你将被带往 <code>{address}</code>。你可以随时在设置中撤销授权。
      </>
    ),
    allow: '授权',
    deny: '拒绝',
    owner: (login) => (login === undefined ? '此应用由本站的管理员登记。' : `此应用归 ${login} 所有。`),
    scope: (login) => (
      <>
        它请求使用你的账号 <strong>{login}</strong>。它将可以：
      </>
    ),
  },
  device: {
    title: '登录设备',
    intro: '没有浏览器的设备上的程序会显示一个代码。在此输入代码，即可让该程序使用你的账号。',
    code: '代码',
    codeHint: '八个字母，例如 WDJB-MJHT。',
    continue: '继续',
    unknownCode: '没有设备在等待此代码。它可能已被处理，或已过期。',
    allow: (application) => `要在设备上授权“${application}”吗？`,
    shown: (code) => (
      <>
        设备显示的代码为 <strong>{code}</strong>。
      </>
    ),
    requestSent: (address, moment) => (
      <>
        请求来自 {address}，时间为 {moment}。
      </>
    ),
    onlyYours: '只有当这是你的设备，并且由你本人发起时，才可继续。否则，发给你代码的人将能进入你的账号。',
    revocable: '你可以随时在设置中撤销授权。',
    allowed: '设备已登录',
    denied: '设备未登录',
    allowedHint: (application) => `“${application}”现在可以使用你的账号。请回到设备；此页面可以关闭。`,
    deniedHint: (application) => `“${application}”没有得到访问权限。如果不是你本人发起的，则无需其他操作。`,
  },
  newcomer: {
    title: '哪个是你的账号？',
    unlinked: (provider, name) => (
      <>
        你以 <strong>{name}</strong> 的身份来自 {provider}。本站没有账号与之关联。
      </>
    ),
    linkHint: (names) => (
      <>
        你已登录为 <strong>{names.login}</strong>。从现在起，{names.provider} 上的 {names.name} 可以登录此账号。
      </>
    ),
    link: (login) => `关联到 ${login}`,
    haveAccount: '我已有账号：登录并关联',
    isNew: '我是新用户',
    address: (address) => `你的地址将是 ${address}。`,
    create: '创建账号',
  },
}
