//! From an address to the store that it names.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;

use super::error::MailboxError;
use super::runtime::Waiter;

/// A store, the prefix of all its objects, and who waits for it.
pub(super) struct Opened {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) prefix: ObjectPath,
    pub(super) waiter: Waiter,
    /// The folder, where it is one.
    pub(super) folder: Option<std::path::PathBuf>,
}

/// Opens the store that `address` names. A missing folder is made if `makes` is true.
pub(super) fn open(address: &str, makes: bool) -> Result<Opened, MailboxError> {
    let Some((scheme, rest)) = address.split_once("://") else {
        return open_folder(address, Path::new(address), makes);
    };
    match scheme {
        "file" => open_folder(address, Path::new(rest), makes),
        "s3" | "gs" | "az" => {
            let bucket = rest.split('/').next().unwrap_or_default();
            if bucket.is_empty() {
                let what = format!("it names no bucket after {scheme}://");
                return Err(MailboxError::Address { address: address.to_owned(), what });
            }
            open_cloud(address, scheme, rest)
        }
        _ => {
            let what = format!("{scheme}:// is not known");
            Err(MailboxError::Address { address: address.to_owned(), what })
        }
    }
}

fn open_folder(address: &str, folder: &Path, makes: bool) -> Result<Opened, MailboxError> {
    let trouble = |what: String| MailboxError::Trouble {
        address: address.to_owned(),
        path: String::new(),
        what,
    };
    if address.is_empty() {
        let what = "it is empty".to_owned();
        return Err(MailboxError::Address { address: address.to_owned(), what });
    }
    if makes {
        fs::create_dir_all(folder).map_err(|error| trouble(error.to_string()))?;
    }
    if !folder.exists() {
        return Err(MailboxError::Missing { address: address.to_owned() });
    }
    if !folder.is_dir() {
        let what = "it is a file".to_owned();
        return Err(MailboxError::Address { address: address.to_owned(), what });
    }
    let folder = folder.canonicalize().map_err(|error| trouble(error.to_string()))?;
    let store = LocalFileSystem::new_with_prefix(&folder)
        .map_err(|error| trouble(error.to_string()))?
        .with_fsync(true);
    Ok(Opened {
        store: Arc::new(store),
        prefix: ObjectPath::default(),
        waiter: Waiter::Here,
        folder: Some(folder),
    })
}

#[cfg(not(feature = "cloud"))]
fn open_cloud(address: &str, _scheme: &str, _rest: &str) -> Result<Opened, MailboxError> {
    Err(MailboxError::NoCloud { address: address.to_owned() })
}

/// Opens a bucket. Keys, region and endpoint come from the environment, by the names that the
/// provider's own programs use (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`,
/// `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME`, ...).
#[cfg(feature = "cloud")]
fn open_cloud(address: &str, scheme: &str, rest: &str) -> Result<Opened, MailboxError> {
    use object_store::RetryConfig;
    use object_store::aws::AmazonS3Builder;
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;
    use std::time::Duration;

    // The process has one provider; a second call finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let refused = |error: object_store::Error| MailboxError::Address {
        address: address.to_owned(),
        what: error.to_string(),
    };
    let retry = RetryConfig {
        max_retries: 6,
        retry_timeout: Duration::from_mins(1),
        ..RetryConfig::default()
    };
    let store: Arc<dyn ObjectStore> = match scheme {
        "s3" => {
            let builder = AmazonS3Builder::from_env().with_url(address).with_retry(retry);
            Arc::new(builder.build().map_err(refused)?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(address);
            Arc::new(builder.with_retry(retry).build().map_err(refused)?)
        }
        _ => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(address);
            Arc::new(builder.with_retry(retry).build().map_err(refused)?)
        }
    };
    let prefix = rest.split_once('/').map_or("", |(_, prefix)| prefix).trim_matches('/');
    let prefix = ObjectPath::parse(prefix).map_err(|error| MailboxError::Address {
        address: address.to_owned(),
        what: error.to_string(),
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("mailbox")
        .enable_all()
        .build()
        .map_err(|error| MailboxError::Trouble {
            address: address.to_owned(),
            path: String::new(),
            what: error.to_string(),
        })?;
    Ok(Opened { store, prefix, waiter: Waiter::Runtime(Arc::new(runtime)), folder: None })
}
