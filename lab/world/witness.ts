/** Path of the collector of evidence in the guest: `provision/guest/witness`. */
export const WITNESS = '/usr/local/lib/whodunit/witness';
