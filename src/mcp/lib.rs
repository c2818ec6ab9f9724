//! A server of the Model Context Protocol: coding agents ask it about profiles.
//!
//! [`Server`] answers the protocol; each tool is a file in `tools`, which reads its arguments, asks the library, and returns
//! a [`Reply`](reply::Reply): content with the structure that its schema describes, and a short text.
//!
//! It knows no flags, and not how figures are computed.
//!
//! Invariants: nothing is read but what is below the folders of the server, and nothing is written but new reports there;
//! a reply has limited rows and bytes, and says what it leaves out; a call that takes long hinders no other one.

mod call;
mod error;
mod folders;
mod limits;
mod path;
mod reply;
mod resources;
mod schema;
mod server;
mod table;
mod tool;
mod tools;
mod tree;

pub use folders::Folders;
pub use limits::Limits;
pub use path::PathError;
pub use server::Server;
