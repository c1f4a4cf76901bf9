const KLOG_TIME = String.raw`\d{4} \d\d:\d\d:\d\d`;

/** How klog begins a line: level and time, up to its second. */
export const KLOG_START = `[IWEF]${KLOG_TIME}`;

/** What klog writes before a message: level, time (the first group), thread, and the line of its source. */
export const KLOG_HEAD = String.raw`[IWEF](${KLOG_TIME}\.\d+) +\d+ [\w.-]+:\d+\] `;

/** The same where people cut the beginning out, up to the line of its source; the first group is the time, if it is left. */
export const KLOG_CUT_HEAD = String.raw`(?:(?:\.{3}|…) ?)?(?:[IWEF]?(${KLOG_TIME}\.\d+) +\d+ )?[\w-]+\.go:\d+\] `;

/** What logrus writes before a message. Its time is the first group, in quotes, or the second; CRI-O has a space in it. */
export const LOGRUS_HEAD = String.raw`time=(?:"([^"]+)"|(\S+)) level=\w+ `;
